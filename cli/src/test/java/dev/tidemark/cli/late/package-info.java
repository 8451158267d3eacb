/** Ledgers of real tables. */
@NullMarked
package dev.tidemark.cli.late;

import org.jspecify.annotations.NullMarked;
