/** The database that a base table mirrors: its rows, its binlog. */
@NullMarked
package dev.tidemark.spark.source;

import org.jspecify.annotations.NullMarked;
