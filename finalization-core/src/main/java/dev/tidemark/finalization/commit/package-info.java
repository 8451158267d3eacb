/** The hooks around a commit, and what they see. */
@NullMarked
package dev.tidemark.finalization.commit;

import org.jspecify.annotations.NullMarked;
