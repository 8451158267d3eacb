/** The Flink operator that decodes, and where the records go that it cannot decode. */
@NullMarked
package dev.tidemark.pipeline.deadletter;

import org.jspecify.annotations.NullMarked;
