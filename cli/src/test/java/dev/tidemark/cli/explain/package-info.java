/** Explanations of real engine runs. */
@NullMarked
package dev.tidemark.cli.explain;

import org.jspecify.annotations.NullMarked;
