package dev.tidemark.spark.shadow;

import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison found.
 *
 * @param base the side under test
 * @param table the Iceberg table that it is; null if it is none
 * @param reference the side that is believed
 * @param at when it was made
 * @param cut rows that either side changed at or after it are left out; null for none
 * @param baseRows rows of the base
 * @param referenceRows rows of the reference
 * @param settled rows of both that were compared: of keys that neither side changed, nor the base
 *     deleted, at or after the cut
 * @param buckets into how many buckets of keys the rows were put
 * @param differing buckets whose counts or hashes differ
 * @param unexplained of those, buckets in which no key was found that differs
 * @param ignored columns of the base that were not compared
 * @param onlyInReference columns of the reference that the base lacks
 * @param found how many keys are in each class
 * @param samples some of the keys that differ
 */
public record ShadowReport(
    String base,
    @Nullable UUID table,
    String reference,
    Instant at,
    @Nullable Instant cut,
    long baseRows,
    long referenceRows,
    long settled,
    int buckets,
    int differing,
    int unexplained,
    List<String> ignored,
    List<String> onlyInReference,
    Map<Kind, Long> found,
    List<Sample> samples) {

  /** How a key differs. */
  public enum Kind {
    /** The reference has it, the base has not. */
    MISSING,
    /** The base has it, the reference has not. */
    EXTRA,
    /** The base's row was changed earlier than the reference's. */
    STALE,
    /** A side has the key more than once. */
    DUPLICATE,
    /** Values differ, or the reference's loses something in the base's type. */
    DIFFERS,
    /** Only types differ: in the base's types, in which they lose nothing, the values are equal. */
    TYPE_ONLY,
    /** One side changed it, or the base deleted it, at or after the cut: left out. */
    AFTER_CUT
  }

  /**
   * A key that differs.
   *
   * @param key as JSON
   * @param baseRow as JSON; null if there is none
   * @param referenceRow as JSON; null if there is none
   */
  public record Sample(
      Kind kind, String key, @Nullable String baseRow, @Nullable String referenceRow) {}

  public ShadowReport {
    Map<Kind, Long> all = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      all.put(kind, found.getOrDefault(kind, 0L));
    }
    ignored = List.copyOf(ignored);
    onlyInReference = List.copyOf(onlyInReference);
    found = Collections.unmodifiableMap(all);
    samples = List.copyOf(samples);
  }

  /** Keys that are wrong: all classes but those of type alone and after the cut. */
  public long wrong() {
    return found.entrySet().stream()
        .filter(e -> e.getKey() != Kind.TYPE_ONLY && e.getKey() != Kind.AFTER_CUT)
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /**
   * Whether nothing is wrong, every bucket that differs is explained, and rows were compared at
   * all: a cut that leaves every row out proves nothing.
   */
  public boolean isClean() {
    return wrong() == 0 && unexplained == 0 && !isVoid();
  }

  /** Whether the cut left every row out. */
  public boolean isVoid() {
    return settled == 0 && baseRows + referenceRows > 0;
  }

  /** Keys that the cut left out although they differ. */
  public long afterCut() {
    return found.getOrDefault(Kind.AFTER_CUT, 0L);
  }

  /** For a program: 0 if clean, else 1. */
  public int exitCode() {
    return isClean() ? 0 : 1;
  }
}
