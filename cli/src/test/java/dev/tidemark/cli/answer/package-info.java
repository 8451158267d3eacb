/** Questions as people write them. */
@NullMarked
package dev.tidemark.cli.answer;

import org.jspecify.annotations.NullMarked;
