/** The merge of a ledger's increment into its base table. */
@NullMarked
package dev.tidemark.spark.merge;

import org.jspecify.annotations.NullMarked;
