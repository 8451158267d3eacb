/** What Tidemark claims about its cost, measured: one class per claim, each with a target. */
@NullMarked
package dev.tidemark.benchmarks;

import org.jspecify.annotations.NullMarked;
