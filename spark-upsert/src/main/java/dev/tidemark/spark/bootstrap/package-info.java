/** The first load of a base table, from a dump of the source at a known position. */
@NullMarked
package dev.tidemark.spark.bootstrap;

import org.jspecify.annotations.NullMarked;
