/** What another policy would have made of a table's own history, and which one fits a budget. */
@NullMarked
package dev.tidemark.cli.replay;

import org.jspecify.annotations.NullMarked;
