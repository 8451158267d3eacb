/** The command line as a whole. */
@NullMarked
package dev.tidemark.cli;

import org.jspecify.annotations.NullMarked;
