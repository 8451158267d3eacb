/** What is said of stores. */
@NullMarked
package dev.tidemark.cli.store;

import org.jspecify.annotations.NullMarked;
