/** Rows that arrived for an hour that was already final. */
@NullMarked
package dev.tidemark.finalization.late;

import org.jspecify.annotations.NullMarked;
