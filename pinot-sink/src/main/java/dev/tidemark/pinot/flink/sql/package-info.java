/**
 * The sink in Flink SQL: tables with {@code 'connector' = 'tidemark-pinot'}, whose options
 * configure the sink and its finalization.
 */
@NullMarked
package dev.tidemark.pinot.flink.sql;

import org.jspecify.annotations.NullMarked;
