/** Tables by one kind of name, whichever store keeps them. */
@NullMarked
package dev.tidemark.cli.store;

import org.jspecify.annotations.NullMarked;
