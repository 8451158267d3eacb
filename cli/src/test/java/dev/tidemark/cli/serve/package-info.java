/** The server over real tables, asked as clients ask it, and the page in a real browser. */
@NullMarked
package dev.tidemark.cli.serve;

import org.jspecify.annotations.NullMarked;
