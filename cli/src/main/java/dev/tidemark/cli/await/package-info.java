/** Waiting until something is complete, cheaply. */
@NullMarked
package dev.tidemark.cli.await;

import org.jspecify.annotations.NullMarked;
