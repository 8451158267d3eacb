/** What the documentation says, held against the code. */
@NullMarked
package dev.tidemark.cli.docs;

import org.jspecify.annotations.NullMarked;
