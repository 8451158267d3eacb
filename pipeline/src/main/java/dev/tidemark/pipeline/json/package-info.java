/**
 * JSON read and written without losing a digit: integers as {@code Long} or {@code BigInteger},
 * fractions as {@code BigDecimal}, never through a double.
 */
@NullMarked
package dev.tidemark.pipeline.json;

import org.jspecify.annotations.NullMarked;
