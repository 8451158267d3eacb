/**
 * Debezium JSON becomes {@link dev.tidemark.pipeline.event.ChangeEvent}s; what cannot is told apart
 * with a reason, never thrown.
 */
@NullMarked
package dev.tidemark.pipeline.debezium;

import org.jspecify.annotations.NullMarked;
