/** The sinks for Flink. */
@NullMarked
package dev.tidemark.pinot.flink;

import org.jspecify.annotations.NullMarked;
