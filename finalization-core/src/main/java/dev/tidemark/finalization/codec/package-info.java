/** Versioned binary codecs: variable-length integers over byte arrays. */
@NullMarked
package dev.tidemark.finalization.codec;

import org.jspecify.annotations.NullMarked;
