/** The commands, one class each. What they compute is in packages of its own. */
@NullMarked
package dev.tidemark.cli.command;

import org.jspecify.annotations.NullMarked;
