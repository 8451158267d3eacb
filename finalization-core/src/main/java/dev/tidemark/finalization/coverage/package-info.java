/** What a source has delivered, where it stands, and what it has vouched for. */
@NullMarked
package dev.tidemark.finalization.coverage;

import org.jspecify.annotations.NullMarked;
