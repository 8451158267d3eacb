/** A table in memory, and what segments hold. */
package dev.tidemark.pinot.flink.testing;
