/**
 * Versioned byte codecs as Flink type information: no Kryo and no Java serialization on the wire or
 * in a checkpoint.
 */
@NullMarked
package dev.tidemark.pipeline.codec;

import org.jspecify.annotations.NullMarked;
