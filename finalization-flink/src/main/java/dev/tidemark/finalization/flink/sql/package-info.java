/** The table options of finalization, the same for tables of every store. */
@NullMarked
package dev.tidemark.finalization.flink.sql;

import org.jspecify.annotations.NullMarked;
