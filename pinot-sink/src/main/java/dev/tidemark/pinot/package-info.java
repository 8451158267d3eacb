/** The Pinot side of finalization. Free of Flink. */
@NullMarked
package dev.tidemark.pinot;

import org.jspecify.annotations.NullMarked;
