/** The program behind {@code benchmarks/run spark-merge}, which needs Spark's class path. */
@NullMarked
package dev.tidemark.spark.benchmark;

import org.jspecify.annotations.NullMarked;
