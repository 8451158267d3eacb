/** What a join without a shuffle needs, and whether a physical plan has one. */
@NullMarked
package dev.tidemark.spark.plan;

import org.jspecify.annotations.NullMarked;
