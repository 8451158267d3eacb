/** The operators behind the sink: not for direct use. */
@NullMarked
package dev.tidemark.iceberg.flink.internal;

import org.jspecify.annotations.NullMarked;
