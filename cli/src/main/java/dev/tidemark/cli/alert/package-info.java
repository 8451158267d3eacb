/**
 * Alerts that only somebody outside a job can raise: late data, a watermark that stands still, a
 * rollback. Each is told once, to the log and to a webhook.
 */
@NullMarked
package dev.tidemark.cli.alert;

import org.jspecify.annotations.NullMarked;
