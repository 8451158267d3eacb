/** {@code tidemark}: the command line and the small server of finality. Needs no Flink. */
@NullMarked
package dev.tidemark.cli;

import org.jspecify.annotations.NullMarked;
