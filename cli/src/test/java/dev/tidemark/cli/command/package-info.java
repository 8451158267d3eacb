/** The commands, run as a user runs them. */
@NullMarked
package dev.tidemark.cli.command;

import org.jspecify.annotations.NullMarked;
