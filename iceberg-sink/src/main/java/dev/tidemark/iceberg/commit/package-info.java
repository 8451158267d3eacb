/** Commits of data, facts and opinion as one atomic change of an Iceberg table. Free of Flink. */
@NullMarked
package dev.tidemark.iceberg.commit;

import org.jspecify.annotations.NullMarked;
