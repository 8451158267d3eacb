/** Tests of replay and tune: against raw rows, a simulator of known truth, and real tables. */
@NullMarked
package dev.tidemark.cli.replay;

import org.jspecify.annotations.NullMarked;
