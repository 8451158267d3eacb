/** What the programs of the quickstart share. */
@NullMarked
package dev.tidemark.quickstart.program;

import org.jspecify.annotations.NullMarked;
