/** The ledger of late rows: which final hours were reopened, by whom, how often. */
@NullMarked
package dev.tidemark.cli.late;

import org.jspecify.annotations.NullMarked;
