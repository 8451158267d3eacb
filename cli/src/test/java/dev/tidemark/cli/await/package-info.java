/** Waiting for real tables, with a clock that the test moves. */
@NullMarked
package dev.tidemark.cli.await;

import org.jspecify.annotations.NullMarked;
