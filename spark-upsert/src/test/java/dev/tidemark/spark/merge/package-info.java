@NullMarked
package dev.tidemark.spark.merge;

import org.jspecify.annotations.NullMarked;
