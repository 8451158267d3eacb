/** The operators behind the sinks. No API. */
@NullMarked
package dev.tidemark.pinot.flink.internal;

import org.jspecify.annotations.NullMarked;
