package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Event-time facts as string properties: {@code finalization.event-time.*}, times in epoch
 * milliseconds UTC. {@code count} is always there; every other key is left out when its value is 0
 * or does not exist, so that the usual commit costs no bytes for what did not happen. Rows per
 * granule are not kept: a store keeps only the late ones.
 */
public final class EventTimeProperties {
  /** Keys and values of one commit's facts, coverage apart, have at most so many characters. */
  public static final int MAX_CHARACTERS = 1024;

  /** Format, writer (64 characters), commit id, and a full list of late rows. */
  private static final int RESERVED_CHARACTERS = 378;

  /** The common prefix of all keys. */
  public static final String PREFIX = "finalization.event-time.";

  private static final String COUNT = PREFIX + "count";
  private static final String NULL_COUNT = PREFIX + "null-count";
  private static final String INVALID_COUNT = PREFIX + "invalid-count";
  private static final String INVALID_MIN = PREFIX + "invalid-min-ms";
  private static final String INVALID_MAX = PREFIX + "invalid-max-ms";
  private static final String SNAPSHOT_COUNT = PREFIX + "snapshot-count";
  private static final String BACKFILL_COUNT = PREFIX + "backfill-count";
  private static final String MIN = PREFIX + "min-ms";
  private static final String MAX = PREFIX + "max-ms";
  private static final String P01 = PREFIX + "p01-ms";
  private static final String P50 = PREFIX + "p50-ms";
  private static final String P99 = PREFIX + "p99-ms";
  private static final String DIGEST = PREFIX + "digest";

  private EventTimeProperties() {}

  /** The properties of these facts. */
  public static Map<String, String> write(EventTimeFacts facts) {
    Map<String, String> properties = new LinkedHashMap<>();
    EventTimeSketch times = facts.times();
    put(properties, COUNT, times.count());
    putPositive(properties, NULL_COUNT, facts.setAside().nullCount());
    if (facts.setAside().invalidCount() > 0) {
      put(properties, INVALID_COUNT, facts.setAside().invalidCount());
      put(properties, INVALID_MIN, facts.setAside().invalidMinMillis());
      put(properties, INVALID_MAX, facts.setAside().invalidMaxMillis());
    }
    putPositive(properties, SNAPSHOT_COUNT, facts.setAside().snapshotCount());
    putPositive(properties, BACKFILL_COUNT, facts.setAside().backfillCount());
    if (!times.isEmpty()) {
      put(properties, MIN, times.minMillis());
      put(properties, MAX, times.maxMillis());
      put(properties, P01, times.quantileMillis(0.01));
      put(properties, P50, times.quantileMillis(0.50));
      put(properties, P99, times.quantileMillis(0.99));
      times.toText(digestBudget(properties)).ifPresent(text -> properties.put(DIGEST, text));
    }
    return properties;
  }

  /**
   * What is left for the digest: all facts of a commit stay within {@value #MAX_CHARACTERS}
   * characters, so where much was set aside the digest is coarser, and left out where nothing fits.
   */
  private static int digestBudget(Map<String, String> properties) {
    int used = RESERVED_CHARACTERS + DIGEST.length();
    for (Map.Entry<String, String> property : properties.entrySet()) {
      used += property.getKey().length() + property.getValue().length();
    }
    return Math.min(EventTimeSketch.MAX_TEXT_LENGTH, MAX_CHARACTERS - used);
  }

  /**
   * Reads facts back; rows per granule come back empty.
   *
   * @return empty if the properties carry no facts
   * @throws IllegalArgumentException if a value is not what {@link #write} writes
   */
  public static Optional<EventTimeFacts> read(Map<String, String> properties) {
    if (!properties.containsKey(COUNT)) {
      return Optional.empty();
    }
    String digest = properties.get(DIGEST);
    long invalid = number(properties, INVALID_COUNT, 0);
    SetAside aside =
        new SetAside(
            number(properties, NULL_COUNT, 0),
            invalid,
            number(properties, INVALID_MIN, SetAside.NONE.invalidMinMillis()),
            number(properties, INVALID_MAX, SetAside.NONE.invalidMaxMillis()),
            number(properties, SNAPSHOT_COUNT, 0),
            number(properties, BACKFILL_COUNT, 0));
    EventTimeSketch times =
        digest == null ? withoutDigest(properties) : EventTimeSketch.fromText(digest);
    if (times.count() != number(properties, COUNT, 0)) {
      throw new IllegalArgumentException(
          "Invalid value of "
              + DIGEST
              + ": "
              + times.count()
              + " records (expected: "
              + properties.get(COUNT)
              + ", as "
              + COUNT
              + " says)");
    }
    return Optional.of(new EventTimeFacts(times, aside, GranuleCounts.none()));
  }

  private static EventTimeSketch withoutDigest(Map<String, String> properties) {
    long count = number(properties, COUNT, 0);
    return count == 0
        ? EventTimeSketch.empty()
        : EventTimeSketch.coarse(
            count,
            number(properties, MIN, 0),
            number(properties, P50, 0),
            number(properties, MAX, 0));
  }

  private static void put(Map<String, String> properties, String key, long value) {
    properties.put(key, Long.toString(value));
  }

  private static void putPositive(Map<String, String> properties, String key, long value) {
    if (value > 0) {
      put(properties, key, value);
    }
  }

  private static long number(Map<String, String> properties, String key, long absent) {
    String value = properties.get(key);
    try {
      return value == null ? absent : Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "Invalid value of " + key + ": " + value + " (expected: a whole number)", e);
    }
  }
}
