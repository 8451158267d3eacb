/** What the tests of the command line share. */
@NullMarked
package dev.tidemark.cli.testing;

import org.jspecify.annotations.NullMarked;
