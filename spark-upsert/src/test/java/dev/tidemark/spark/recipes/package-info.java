/** What the recipes say of Spark, held against Spark. */
@NullMarked
package dev.tidemark.spark.recipes;

import org.jspecify.annotations.NullMarked;
