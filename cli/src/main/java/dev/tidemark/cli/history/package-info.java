/** What one commit of a table says of itself, for people and as JSON. */
@NullMarked
package dev.tidemark.cli.history;

import org.jspecify.annotations.NullMarked;
