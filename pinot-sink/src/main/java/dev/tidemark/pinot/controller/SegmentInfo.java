package dev.tidemark.pinot.controller;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the controller knows of one segment. Immutable.
 *
 * @param name its name
 * @param fields its simple fields, as the controller names them
 * @param customMap the map that anybody may add to; a blank value is as good as none, since no push
 *     can take a key away
 */
public record SegmentInfo(String name, Map<String, String> fields, Map<String, String> customMap) {
  private static final String CUSTOM_MAP = "custom.map";

  public SegmentInfo {
    fields = Map.copyOf(fields);
    Map<String, String> filled = new LinkedHashMap<>(customMap);
    filled.values().removeIf(String::isBlank);
    customMap = Map.copyOf(filled);
  }

  static SegmentInfo of(String name, JsonNode node) {
    Map<String, String> fields = Json.textMap(node);
    String custom = fields.remove(CUSTOM_MAP);
    if (custom == null || custom.isEmpty() || custom.equals("null")) {
      return new SegmentInfo(name, fields, Map.of());
    }
    return new SegmentInfo(name, fields, Json.textMap(Json.read("read segment " + name, custom)));
  }

  /** The checksum of its content; null if the controller has none. */
  public @Nullable Long crc() {
    return number("segment.crc");
  }

  /** What ties are decided by, epoch milliseconds; null if the controller has none. */
  public @Nullable Long creationTimeMillis() {
    return number("segment.creation.time");
  }

  /** When it was pushed first, epoch milliseconds; null for one that Pinot consumed. */
  public @Nullable Long pushTimeMillis() {
    return number("segment.push.time");
  }

  /** When it was refreshed last, epoch milliseconds; null if never. */
  public @Nullable Long refreshTimeMillis() {
    return number("segment.refresh.time");
  }

  /** Where servers load it from; null if the controller has no such place. */
  public @Nullable String downloadUrl() {
    return fields.get("segment.download.url");
  }

  /** Rows; null if the controller has no count. */
  public @Nullable Long rows() {
    return number("segment.total.docs");
  }

  /** Its first time, inclusive, epoch milliseconds; null without a time column. */
  public @Nullable Long startMillis() {
    return millis("segment.start.time");
  }

  /** Its last time, inclusive, epoch milliseconds; null without a time column. */
  public @Nullable Long endMillis() {
    return millis("segment.end.time");
  }

  private @Nullable Long millis(String key) {
    Long value = number(key);
    String unit = fields.get("segment.time.unit");
    if (value == null || value < 0 || unit == null || unit.equals("null")) {
      return null;
    }
    return TimeUnit.valueOf(unit).toMillis(value);
  }

  private @Nullable Long number(String key) {
    String value = fields.get(key);
    try {
      return value == null ? null : Long.valueOf(value);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
