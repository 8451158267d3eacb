/** Keeping ledgers and base tables small: compaction, expiry of snapshots, old tombstones. */
@NullMarked
package dev.tidemark.spark.maintenance;

import org.jspecify.annotations.NullMarked;
