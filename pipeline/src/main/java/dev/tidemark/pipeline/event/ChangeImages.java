package dev.tidemark.pipeline.event;

import org.jspecify.annotations.Nullable;

/**
 * The images that came with a change.
 *
 * @param key the primary key; null for TRUNCATE and for a table without one
 * @param before the row before the change; null when there was none
 * @param after the row after the change; null when there is none
 * @param oldKey on the INSERT half of a changed primary key: the key that the row had
 * @param newKey on the DELETE half of a changed primary key: the key that the row gets
 */
public record ChangeImages(
    @Nullable RowImage key,
    @Nullable RowImage before,
    @Nullable RowImage after,
    @Nullable RowImage oldKey,
    @Nullable RowImage newKey) {
  /** No key and no images: what a TRUNCATE carries. */
  public static ChangeImages none() {
    return new ChangeImages(null, null, null, null, null);
  }
}
