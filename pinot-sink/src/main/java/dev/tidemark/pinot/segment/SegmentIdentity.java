package dev.tidemark.pinot.segment;

import java.util.Map;
import java.util.Objects;

/**
 * What a segment is known by, beside its rows.
 *
 * @param name the segment's name, see {@link SegmentNames}
 * @param creationTimeMillis epoch milliseconds, kept in {@code creation.meta}; decides ties of an
 *     upsert table
 * @param customProperties keys and values of the segment's custom map, without the {@code custom.}
 *     that Pinot puts before a key in {@code metadata.properties}; they are inside the CRC
 */
public record SegmentIdentity(
    String name, long creationTimeMillis, Map<String, String> customProperties) {
  public SegmentIdentity {
    Objects.requireNonNull(name, "name is null");
    customProperties = Map.copyOf(customProperties);
  }
}
