/** Finalization as both sinks show it in Flink. Knows no store. */
@NullMarked
package dev.tidemark.finalization.flink;

import org.jspecify.annotations.NullMarked;
