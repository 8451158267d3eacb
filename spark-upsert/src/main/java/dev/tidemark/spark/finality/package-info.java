/** What a base table may say of its completeness, from what its ledgers say. */
@NullMarked
package dev.tidemark.spark.finality;

import org.jspecify.annotations.NullMarked;
