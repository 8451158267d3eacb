/**
 * From the ledger to the base table in Spark: merge, finality in the same commit, bootstrap,
 * maintenance, comparison and cutover, and the command line over all of it.
 */
@NullMarked
package dev.tidemark.spark;

import org.jspecify.annotations.NullMarked;
