/**
 * The append-only ledger of all changes of one source table: its Iceberg schema, its rows, and the
 * fold of its rows to the last state of each key.
 */
@NullMarked
package dev.tidemark.pipeline.ledger;

import org.jspecify.annotations.NullMarked;
