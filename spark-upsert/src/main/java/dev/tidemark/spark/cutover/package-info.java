/** Moving readers to the base table, and back: views that are swapped, and a checklist before. */
@NullMarked
package dev.tidemark.spark.cutover;

import org.jspecify.annotations.NullMarked;
