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
 *     that Pinot puts before a key in {@code metadata.properties}; they are inside the CRC. Values
 *     hold no dollar before a brace, no control characters, no backslash before a comma or at the
 *     end and no blanks at the ends
 */
public record SegmentIdentity(
    String name, long creationTimeMillis, Map<String, String> customProperties) {
  public SegmentIdentity {
    Objects.requireNonNull(name, "name is null");
    customProperties = Map.copyOf(customProperties);
    customProperties.forEach(SegmentIdentity::check);
  }

  /** Pinot reads the value back from a properties file. */
  private static void check(String key, String value) {
    boolean isCut = !value.strip().equals(value);
    boolean isReplaced = value.contains("${") || value.contains("\\,") || value.endsWith("\\");
    if (isCut || isReplaced || value.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "Cannot keep custom property \"%s\" in a segment: \"%s\" (expected: no \"${\", control characters, backslashes before a comma or at the end, or blanks at the ends, which Pinot would read as something else)"
              .formatted(key, value));
    }
  }
}
