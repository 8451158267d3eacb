package dev.tidemark.pinot.controller;

import java.util.Map;
import java.util.Objects;

/**
 * A segment on its way to Pinot.
 *
 * @param name its name
 * @param crc its checksum: a segment of this name and checksum that is there already is it
 * @param tar the whole segment
 * @param metadata a tar.gz of its {@code metadata.properties} and {@code creation.meta}
 * @param tarUri where the controller can read the tar, for a METADATA push
 */
public record SegmentUpload(
    String name, long crc, RequestBody tar, RequestBody metadata, String tarUri) {
  public SegmentUpload {
    Objects.requireNonNull(name, "name is null");
  }

  /**
   * What is written into the custom maps of pushed segments; what others wrote there stays.
   *
   * @param map keys and values, printable ASCII
   */
  public record CustomMap(Map<String, String> map) {
    /** A header is one line, and Pinot's server takes 8 KB of them. */
    private static final int MAX_LENGTH = 7_000;

    public CustomMap {
      map = Map.copyOf(map);
    }

    /** Whether Pinot's server takes so much. */
    public boolean fits() {
      return text().length() <= MAX_LENGTH;
    }

    /**
     * @throws IllegalArgumentException if it does not fit
     */
    public void requireFits() {
      int length = text().length();
      if (length > MAX_LENGTH) {
        throw new IllegalArgumentException(
            "Cannot write a custom map of "
                + length
                + " characters (expected: at most "
                + MAX_LENGTH
                + "; accumulators and hooks add to it)");
      }
    }

    String header() {
      requireFits();
      return text();
    }

    private String text() {
      String text = Json.write(Map.of("mapModifyMode", "UPDATE", "map", map));
      StringBuilder ascii = new StringBuilder(text.length());
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        ascii.append(
            c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : Character.toString(c));
      }
      return ascii.toString();
    }
  }
}
