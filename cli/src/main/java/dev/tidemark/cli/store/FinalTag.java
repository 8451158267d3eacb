package dev.tidemark.cli.store;

/**
 * A tag on the snapshot at which a span of event time became final.
 *
 * @param name the tag's
 * @param snapshotId what it names
 * @param snapshotTimeMillis when that was committed: the tag's retention counts from then
 * @param isNew whether it was made just now
 */
public record FinalTag(String name, String snapshotId, long snapshotTimeMillis, boolean isNew) {}
