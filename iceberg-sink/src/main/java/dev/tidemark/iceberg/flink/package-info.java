/**
 * The extensible Iceberg sink for Flink: the stock {@link
 * org.apache.iceberg.flink.sink.IcebergSink} with accumulators in its writers and commit processors
 * around its commits.
 */
@NullMarked
package dev.tidemark.iceberg.flink;

import org.jspecify.annotations.NullMarked;
