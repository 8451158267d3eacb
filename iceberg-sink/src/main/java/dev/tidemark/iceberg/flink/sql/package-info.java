/**
 * The sink in Flink SQL: a catalog of type {@code tidemark}, which is the stock Iceberg catalog
 * with another sink, and the table options that configure finalization.
 */
@NullMarked
package dev.tidemark.iceberg.flink.sql;

import org.jspecify.annotations.NullMarked;
