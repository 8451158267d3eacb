package dev.tidemark.pipeline.ledger;

import dev.tidemark.pipeline.event.RowImage;

/**
 * The last state of a key.
 *
 * @param image the row's columns as JSON values, exact; see {@link RowImage#toJson()}
 * @param cdcOrd the order of the last change that made it
 */
public record FoldedRow(RowImage image, String cdcOrd) {}
