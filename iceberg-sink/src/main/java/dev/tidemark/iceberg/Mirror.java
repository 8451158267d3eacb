package dev.tidemark.iceberg;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The opinion as the table properties repeat it, for people and engines that read properties. Not
 * the truth: that is in the snapshot summaries. Immutable and thread-safe.
 *
 * @param properties all table properties of finalization
 */
public record Mirror(SortedMap<String, String> properties) {
  /** The field id of the event-time column, kept so that a rename changes nothing. */
  public static final String EVENT_TIME_FIELD_ID =
      FinalizationProperties.PREFIX + "event-time.field-id";

  /** The type of the event-time column when the field id was kept. */
  public static final String EVENT_TIME_TYPE = FinalizationProperties.PREFIX + "event-time.type";

  /** The unit of an event-time column of numbers, lower-case; absent for timestamps. */
  public static final String EVENT_TIME_UNIT = FinalizationProperties.PREFIX + "event-time.unit";

  private static final Set<String> BINDING =
      Set.of(EVENT_TIME_FIELD_ID, EVENT_TIME_TYPE, EVENT_TIME_UNIT);

  public Mirror {
    properties = Collections.unmodifiableSortedMap(new TreeMap<>(properties));
  }

  /** What the properties of a table say. */
  public static Mirror of(Map<String, String> tableProperties) {
    SortedMap<String, String> own = new TreeMap<>();
    tableProperties.forEach(
        (key, value) -> {
          if (key.startsWith(FinalizationProperties.PREFIX)) {
            own.put(key, value);
          }
        });
    return new Mirror(own);
  }

  /**
   * The mirror of an opinion that rides on a snapshot; keys of the event-time column stay. It names
   * the registered writers, so that none is forgotten where only the mirror is left of an opinion.
   */
  public Mirror showing(Opinion opinion, long snapshotId, long snapshotTimeMillis) {
    SortedMap<String, String> shown = new TreeMap<>(FinalizationProperties.mirrored(opinion));
    properties.forEach(
        (key, value) -> {
          if (BINDING.contains(key)) {
            shown.put(key, value);
          }
        });
    String writers =
        FinalizationProperties.write(opinion).getOrDefault(FinalizationProperties.WRITERS, "");
    if (!writers.isEmpty()) {
      shown.put(FinalizationProperties.WRITERS, writers);
    }
    shown.put(FinalizationProperties.SNAPSHOT_ID, Long.toString(snapshotId));
    shown.put(FinalizationProperties.SNAPSHOT_TIME_MS, Long.toString(snapshotTimeMillis));
    return new Mirror(shown);
  }

  /** With one more property. */
  public Mirror with(Map<String, String> more) {
    SortedMap<String, String> all = new TreeMap<>(properties);
    all.putAll(more);
    return new Mirror(all);
  }

  /** Properties to set so that a table that shows the other mirror shows this one. */
  public Map<String, String> changesFrom(Mirror other) {
    Map<String, String> changes = new LinkedHashMap<>(properties);
    changes.entrySet().removeIf(e -> e.getValue().equals(other.properties.get(e.getKey())));
    return changes;
  }

  /** Properties to remove so that a table that shows the other mirror shows this one. */
  public Set<String> removalsFrom(Mirror other) {
    Set<String> removals = new LinkedHashSet<>(other.properties.keySet());
    removals.removeAll(properties.keySet());
    return removals;
  }

  /** The published watermark, exclusive, epoch milliseconds UTC; null if there is none. */
  public @Nullable Long watermarkMillis() {
    return number(FinalizationProperties.WATERMARK_MS);
  }

  /** The snapshot that carries the published opinion; null if there is none. */
  public @Nullable Long snapshotId() {
    return number(FinalizationProperties.SNAPSHOT_ID);
  }

  /** The commit time of that snapshot; null if there is none. */
  public @Nullable Long snapshotTimeMillis() {
    return number(FinalizationProperties.SNAPSHOT_TIME_MS);
  }

  /** How often the published opinion was reset; null if never. */
  public @Nullable Long epoch() {
    return number(FinalizationProperties.EPOCH);
  }

  /** The field id of the event-time column; null if it was not kept. */
  public @Nullable Integer eventTimeFieldId() {
    Long id = number(EVENT_TIME_FIELD_ID);
    return id == null ? null : Integer.valueOf(id.intValue());
  }

  /**
   * The published opinion, as far as properties tell it; null if there is none.
   *
   * @throws IllegalArgumentException if they cannot be read
   */
  public @Nullable Opinion opinion() {
    return FinalizationProperties.readOpinion(properties).orElse(null);
  }

  /** Anybody may write properties: what is no number is as good as absent, and healed like it. */
  private @Nullable Long number(String key) {
    try {
      return FinalizationProperties.number(properties, key);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
