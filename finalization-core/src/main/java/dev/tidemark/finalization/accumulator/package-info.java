/** What a writer counts while it writes, and how the counts of many writers become one. */
@NullMarked
package dev.tidemark.finalization.accumulator;

import org.jspecify.annotations.NullMarked;
