/** A question of completeness, its answer, and how both are said: for people and as JSON. */
@NullMarked
package dev.tidemark.cli.answer;

import org.jspecify.annotations.NullMarked;
