/** The programs that fill Pinot, and what they share. */
@NullMarked
package dev.tidemark.quickstart.pinot;

import org.jspecify.annotations.NullMarked;
