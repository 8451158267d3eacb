package dev.tidemark.cli.serve;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A weak entity tag: two answers with the same tag say the same, though their ages differ.
 *
 * @param value printable ASCII without quotes
 */
record EntityTag(String value) {
  private static final String WEAK = "W/";

  @Override
  public String toString() {
    return WEAK + '"' + value + '"';
  }

  /**
   * What a client has, by {@code If-None-Match}.
   *
   * @param tags opaque tags with their quotes
   * @param isAny whether any will do
   */
  record Known(List<String> tags, boolean isAny) {
    static final Known NOTHING = new Known(List.of(), false);

    static Known parse(@Nullable String header) {
      if (header == null) {
        return NOTHING;
      }
      List<String> tags =
          Arrays.stream(header.split(",", -1))
              .map(String::strip)
              .map(tag -> tag.startsWith(WEAK) ? tag.substring(WEAK.length()) : tag)
              .toList();
      return new Known(tags, tags.contains("*"));
    }

    boolean isNothing() {
      return tags.isEmpty();
    }

    boolean holds(EntityTag tag) {
      return isAny || tags.contains('"' + tag.value() + '"');
    }
  }
}
