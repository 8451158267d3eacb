/** From facts to opinion: policies, the window, the engine, and the opinion itself. */
@NullMarked
package dev.tidemark.finalization.watermark;

import org.jspecify.annotations.NullMarked;
