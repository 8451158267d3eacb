/** The catalog that carries a snapshot's opinion into the table properties. Free of Flink. */
@NullMarked
package dev.tidemark.iceberg.catalog;

import org.jspecify.annotations.NullMarked;
