/** A cluster and a source for tests that decide when what happens. */
package dev.tidemark.flink.testing;
