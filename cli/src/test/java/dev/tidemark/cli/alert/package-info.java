/** When an alert is raised, and that a webhook gets it. */
@NullMarked
package dev.tidemark.cli.alert;

import org.jspecify.annotations.NullMarked;
