/**
 * The Iceberg side of finalization, free of Flink: what a table says of its completeness, read from
 * the ancestry of a branch head, and the administration of it.
 */
@NullMarked
package dev.tidemark.iceberg;

import org.jspecify.annotations.NullMarked;
