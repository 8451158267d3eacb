package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.late.ReopenedGranules;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys under which both stores keep finalization, and their text forms. Times are epoch
 * milliseconds UTC where a key ends in {@code -ms}. A key whose value is 0, false or missing is
 * left out, unless its comment says otherwise. Facts of event time have keys of their own: {@link
 * dev.tidemark.finalization.eventtime.EventTimeProperties}.
 */
public final class FinalizationProperties {
  /** The common prefix of all keys. */
  public static final String PREFIX = "finalization.";

  /** Format of all values: {@value #FORMAT_VERSION}. */
  public static final String FORMAT = PREFIX + "format";

  /** The writer that made the commit. */
  public static final String WRITER = PREFIX + "writer";

  /** The commit's id, a UUID. */
  public static final String COMMIT_ID = PREFIX + "commit-id";

  /** Late rows of this commit: {@link LateRows#toText()}. */
  public static final String LATE = PREFIX + "late";

  /** Late rows of foreign commits noticed by this one, in the same form. */
  public static final String LATE_FOREIGN = PREFIX + "late-foreign";

  /** Where the source stood: {@link Coverage#toText()}. */
  public static final String COVERAGE = PREFIX + "coverage";

  /** The watermark, exclusive. */
  public static final String WATERMARK_MS = PREFIX + "watermark-ms";

  /** The watermark in ISO-8601, for people. */
  public static final String WATERMARK = PREFIX + "watermark";

  /** The inclusive start of what the opinion covers. */
  public static final String FROM_MS = PREFIX + "from-ms";

  /** {@code estimate} or {@code promise}. */
  public static final String EVIDENCE = PREFIX + "evidence";

  /** {@link PolicyText}: policy, window and granularity. */
  public static final String POLICY = PREFIX + "policy";

  /** The windows of all registered writers. */
  public static final String WINDOW = PREFIX + "window";

  /** Why the watermark stayed: {@link Hold#toString()}; absent if the commit moved it. */
  public static final String HOLD = PREFIX + "hold";

  /** How often the opinion was reset after a rollback. */
  public static final String EPOCH = PREFIX + "epoch";

  /** Registered writers with their own watermarks: {@code orders=979142400000,returns=-}. */
  public static final String WRITERS = PREFIX + "writers";

  /** {@code pending} while a bootstrap runs beside the stream. */
  public static final String BOOTSTRAP = PREFIX + "bootstrap";

  /** Granules reopened so far: {@link ReopenedGranules#toText()}. */
  public static final String REOPENED = PREFIX + "reopened";

  /** In the mirror only: the snapshot that carries the opinion. */
  public static final String SNAPSHOT_ID = PREFIX + "snapshot-id";

  /** In the mirror only: that snapshot's commit time. */
  public static final String SNAPSHOT_TIME_MS = PREFIX + "snapshot-time-ms";

  private static final int FORMAT_VERSION = 1;
  private static final int WINDOW_VERSION = 1;
  private static final String PENDING = "pending";

  private FinalizationProperties() {}

  /**
   * The keys that identify a commit: format, writer and commit id.
   *
   * @param writer null for a sink without finalization
   */
  public static Map<String, String> identity(@Nullable String writer, String commitId) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(FORMAT, Integer.toString(FORMAT_VERSION));
    if (writer != null) {
      properties.put(WRITER, writer);
    }
    properties.put(COMMIT_ID, commitId);
    return properties;
  }

  /** What one outcome adds to a commit's own facts: the opinion, late rows and coverage. */
  public static Map<String, String> write(Outcome outcome) {
    Map<String, String> properties = write(outcome.opinion());
    outcome
        .late()
        .forEach(
            report ->
                properties.put(
                    switch (report.cause()) {
                      case STREAM -> LATE;
                      case FOREIGN -> LATE_FOREIGN;
                    },
                    LateRows.of(report.rows()).toText()));
    Coverage coverage = outcome.coverage();
    if (coverage != null) {
      properties.put(COVERAGE, coverage.toText());
    }
    return properties;
  }

  /** The opinion alone. */
  public static Map<String, String> write(Opinion opinion) {
    Map<String, String> properties = mirrored(opinion);
    Hold hold = opinion.hold();
    if (hold != null) {
      properties.put(HOLD, hold.toString());
    }
    properties.put(WRITERS, writersText(opinion.writers()));
    properties.put(WINDOW, windowText(opinion.writers()));
    return properties;
  }

  /** The part of an opinion that a mirror repeats, and that readers of properties understand. */
  public static Map<String, String> mirrored(Opinion opinion) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(FORMAT, Integer.toString(FORMAT_VERSION));
    Long watermark = opinion.watermarkMillis();
    if (watermark != null) {
      properties.put(WATERMARK_MS, watermark.toString());
      properties.put(WATERMARK, Instant.ofEpochMilli(watermark).toString());
    }
    Long from = opinion.watermark().fromMillis();
    if (from != null) {
      properties.put(FROM_MS, from.toString());
    }
    properties.put(EVIDENCE, opinion.watermark().evidence().toString());
    properties.put(POLICY, opinion.policy().toString());
    if (opinion.epoch() > 0) {
      properties.put(EPOCH, Integer.toString(opinion.epoch()));
    }
    if (opinion.bootstrapPending()) {
      properties.put(BOOTSTRAP, PENDING);
    }
    String reopened = opinion.reopened().toText();
    if (!reopened.isEmpty()) {
      properties.put(REOPENED, reopened);
    }
    return properties;
  }

  /**
   * Reads an opinion.
   *
   * @return empty if the properties carry none
   * @throws IllegalArgumentException if they carry one that cannot be read: a newer format, or a
   *     value that this class does not write
   */
  public static Optional<Opinion> readOpinion(Map<String, String> properties) {
    String policy = properties.get(POLICY);
    if (policy == null) {
      return Optional.empty();
    }
    checkFormat(properties);
    String hold = properties.get(HOLD);
    String reopened = properties.get(REOPENED);
    String evidence = properties.get(EVIDENCE);
    Long epoch = number(properties, EPOCH);
    return Optional.of(
        new Opinion(
            new FinalizationWatermark(
                number(properties, FROM_MS),
                number(properties, WATERMARK_MS),
                evidence == null ? Evidence.ESTIMATE : Evidence.parse(evidence)),
            PolicyText.parse(policy),
            hold == null ? null : Hold.parse(hold),
            epoch == null ? 0 : epoch.intValue(),
            PENDING.equals(properties.get(BOOTSTRAP)),
            readWriters(properties),
            reopened == null ? ReopenedGranules.NONE : ReopenedGranules.fromText(reopened)));
  }

  /** The coverage that a commit carries. */
  public static Optional<Coverage> readCoverage(Map<String, String> properties) {
    return Optional.ofNullable(properties.get(COVERAGE)).map(Coverage::fromText);
  }

  /** The late rows that a commit brought itself. */
  public static LateRows readLate(Map<String, String> properties) {
    String text = properties.get(LATE);
    return text == null ? LateRows.NONE : LateRows.fromText(text);
  }

  /**
   * A whole number.
   *
   * @return null if the key is absent
   * @throws IllegalArgumentException if the value is no whole number
   */
  public static @Nullable Long number(Map<String, String> properties, String key) {
    String value = properties.get(key);
    try {
      return value == null ? null : Long.valueOf(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "Invalid value of " + key + ": " + value + " (expected: a whole number)", e);
    }
  }

  private static void checkFormat(Map<String, String> properties) {
    Long format = number(properties, FORMAT);
    if (format != null && format > FORMAT_VERSION) {
      throw new IllegalArgumentException(
          "Cannot read finalization format "
              + format
              + " (expected: at most "
              + FORMAT_VERSION
              + "). A newer Tidemark wrote it; upgrade this reader.");
    }
  }

  private static String writersText(SortedMap<String, WriterState> writers) {
    StringJoiner text = new StringJoiner(",");
    writers.forEach(
        (name, state) -> {
          Long watermark = state.watermarkMillis();
          text.add(name + "=" + (watermark == null ? "-" : watermark));
        });
    return text.toString();
  }

  /** Per writer {@code name=base64}; the runs are shared out among the writers. */
  private static String windowText(SortedMap<String, WriterState> writers) {
    int runs = Math.max(2, CommitWindow.MAX_RUNS / Math.max(1, writers.size()));
    StringJoiner text = new StringJoiner(",");
    writers.forEach(
        (name, state) -> {
          ByteWriter out = new ByteWriter().writeByte(WINDOW_VERSION);
          out.writeString(state.statistic()).writeByte(state.evidence().ordinal());
          Long highest = state.highestMillis();
          out.writeByte(highest == null ? 0 : 1).writeSigned(highest == null ? 0 : highest);
          state.window().limitedTo(runs).writeTo(out);
          text.add(
              name
                  + "="
                  + Base64.getUrlEncoder().withoutPadding().encodeToString(out.toByteArray()));
        });
    return text.toString();
  }

  private static SortedMap<String, WriterState> readWriters(Map<String, String> properties) {
    SortedMap<String, WriterState> writers = new TreeMap<>();
    Map<String, String> windows = pairs(properties.get(WINDOW));
    pairs(properties.get(WRITERS))
        .forEach(
            (name, watermark) ->
                writers.put(
                    name, readWriter(ownWatermark(properties, watermark), windows.get(name))));
    return writers;
  }

  private static @Nullable Long ownWatermark(Map<String, String> properties, String text) {
    try {
      return text.equals("-") ? null : Long.valueOf(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(invalidWriters(properties.get(WRITERS)).getMessage(), e);
    }
  }

  private static WriterState readWriter(@Nullable Long watermark, @Nullable String window) {
    if (window == null) {
      return new WriterState(watermark, Evidence.ESTIMATE, null, "", CommitWindow.EMPTY);
    }
    ByteReader in = ByteReader.ofText("finalization window", window);
    in.readVersion(WINDOW_VERSION);
    String statistic = in.readString();
    Evidence evidence = Evidence.values()[in.readByte() & 1];
    boolean hasHighest = in.readByte() == 1;
    long highest = in.readSigned();
    CommitWindow runs = CommitWindow.readFrom(in);
    in.expectEnd();
    return new WriterState(watermark, evidence, hasHighest ? highest : null, statistic, runs);
  }

  private static Map<String, String> pairs(@Nullable String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : text == null || text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw invalidWriters(text);
      }
      pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return pairs;
  }

  private static IllegalArgumentException invalidWriters(@Nullable String text) {
    return new IllegalArgumentException(
        "Invalid list of writers: " + text + " (expected: such as orders=979142400000)");
  }
}
