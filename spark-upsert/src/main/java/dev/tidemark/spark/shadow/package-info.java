/** A base table beside another table, row by row, at one cut of time; and the history of that. */
@NullMarked
package dev.tidemark.spark.shadow;

import org.jspecify.annotations.NullMarked;
