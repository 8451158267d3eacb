/** The two tables of a merge: the names and columns of the base table, and the state it keeps. */
@NullMarked
package dev.tidemark.spark.table;

import org.jspecify.annotations.NullMarked;
