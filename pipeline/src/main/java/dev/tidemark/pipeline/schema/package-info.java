/** The declared shape of a source table: column names, types and whether they may be null. */
@NullMarked
package dev.tidemark.pipeline.schema;

import org.jspecify.annotations.NullMarked;
