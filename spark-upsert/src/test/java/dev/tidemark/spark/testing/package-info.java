/**
 * What the tests of this module share: one Spark session, real catalogs, ledgers written by hand.
 */
@NullMarked
package dev.tidemark.spark.testing;

import org.jspecify.annotations.NullMarked;
