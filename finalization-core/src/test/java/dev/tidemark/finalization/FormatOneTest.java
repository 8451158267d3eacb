package dev.tidemark.finalization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.accumulator.LongRange;
import dev.tidemark.finalization.accumulator.LongRangeAccumulatorFactory;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.coverage.SourceReport;
import dev.tidemark.finalization.coverage.Vouch;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.SetAside;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.WriterState;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Values of format 1 as they were stored: what is written today is what was written then, and what
 * was written then is read. A later format adds images of its own and leaves these alone.
 *
 * <p>{@code -Dtidemark.test.images=<directory>} writes images that do not exist yet; it never
 * replaces one.
 */
class FormatOneTest {
  private static final long TIME = 1_767_265_200_000L;
  private static final long HOUR = 3_600_000L;

  @Test
  void sketch() {
    EventTimeSketch sketch = someSketch();
    byte[] image = image("sketch.hex", sketch.toBytes());

    assertThat(EventTimeSketch.fromBytes(image)).isEqualTo(sketch);
    assertThat(sketch.toBytes()).isEqualTo(image);
    assertThat(image("sketch-empty.hex", EventTimeSketch.empty().toBytes()))
        .isEqualTo(EventTimeSketch.empty().toBytes());
  }

  @Test
  void facts() {
    EventTimeFacts facts =
        new EventTimeFacts(
            someSketch(),
            new SetAside(3, 2, -1, TIME + 99 * HOUR, 70, 5),
            GranuleCounts.of(new TreeMap<>(Map.of(TIME - HOUR, 1_000L, TIME, 9_000L))));
    EventTimeFacts.Codec codec = new EventTimeFacts.Codec();
    byte[] image = image("facts.hex", codec.encode(facts));

    assertThat(codec.decode(image)).isEqualTo(facts);
    assertThat(codec.encode(facts)).isEqualTo(image);
    byte[] empty = image("facts-empty.hex", codec.encode(EventTimeFacts.EMPTY));
    assertThat(codec.decode(empty)).isEqualTo(EventTimeFacts.EMPTY);
    assertThat(codec.encode(EventTimeFacts.EMPTY)).isEqualTo(empty);
  }

  @Test
  void coverage() {
    Coverage coverage = someCoverage();
    byte[] image = image("coverage.hex", coverage.toBytes());

    assertThat(Coverage.fromBytes(image)).isEqualTo(coverage);
    assertThat(coverage.toBytes()).isEqualTo(image);
  }

  @Test
  void sourceReport() {
    SourceReport report =
        new SourceReport(
            someCoverage(),
            List.of(
                Vouch.of(TIME, Map.of("events-0", 1_000L, "events-1", 0L)), Vouch.of(1, Map.of())));
    byte[] image = image("source-report.hex", report.toBytes());

    assertThat(SourceReport.fromBytes(image)).isEqualTo(report);
    assertThat(report.toBytes()).isEqualTo(image);
  }

  @Test
  void longRange() {
    var codec = new LongRangeAccumulatorFactory<Long>("any", value -> value).codec();
    LongRange range = new LongRange(1_000_000, 17, -5, Long.MAX_VALUE);
    byte[] image = image("long-range.hex", codec.encode(range));

    assertThat(codec.decode(image)).isEqualTo(range);
    assertThat(codec.encode(range)).isEqualTo(image);
    byte[] empty = image("long-range-empty.hex", codec.encode(LongRange.EMPTY));
    assertThat(codec.decode(empty)).isEqualTo(LongRange.EMPTY);
    assertThat(codec.encode(LongRange.EMPTY)).isEqualTo(empty);
  }

  @Test
  void opinionWithTheWindowsOfItsWriters() {
    CommitWindow window =
        new CommitWindow(
            List.of(
                new CommitWindow.Run(3, TIME + HOUR - 900_000, TIME + 60_000),
                new CommitWindow.Run(1, TIME + HOUR - 300_000, TIME + 120_000),
                new CommitWindow.Run(2, TIME + HOUR, TIME + HOUR - 5)),
            TIME + HOUR + 300_000,
            4_711);
    TreeMap<String, WriterState> writers = new TreeMap<>();
    writers.put(
        "orders", new WriterState(TIME, Evidence.ESTIMATE, TIME + HOUR, "quantile:0.01", window));
    writers.put(
        "returns", new WriterState(null, Evidence.PROMISE, null, "min", CommitWindow.EMPTY));
    Opinion opinion =
        new Opinion(
            new FinalizationWatermark(TIME - 24 * HOUR, TIME, Evidence.ESTIMATE),
            PolicyText.parse("quantile:0.01;6;PT30M;PT1H"),
            Hold.of(Hold.Reason.WRITER_BEHIND, List.of("returns")),
            1,
            true,
            writers,
            ReopenedGranules.NONE
                .plus(GranuleCounts.of(new TreeMap<>(Map.of(TIME - 2 * HOUR, 7L))))
                .plus(GranuleCounts.of(new TreeMap<>(Map.of(TIME - HOUR, 1L)))));

    Map<String, String> image = image("opinion.properties", FinalizationProperties.write(opinion));

    assertThat(FinalizationProperties.readOpinion(image)).hasValue(opinion);
    assertThat(FinalizationProperties.write(opinion)).isEqualTo(image);
  }

  private static EventTimeSketch someSketch() {
    long[] times = new long[10_000];
    for (int i = 0; i < times.length; i++) {
      times[i] = TIME + HOUR - 1 - (i % 100) * (i % 100) * 397L;
    }
    return EventTimeSketch.of(times);
  }

  private static Coverage someCoverage() {
    return new Coverage(
        new TreeMap<>(
            Map.of(
                "events-0",
                new PartitionProgress(1_000L, 1_010L, TIME, TIME - 500, TIME - 9, 7L, 3L),
                "events-1",
                new PartitionProgress(null, 0L, TIME, null, null, null, null),
                "web.events-v2-17",
                PartitionProgress.UNKNOWN,
                "plain",
                PartitionProgress.at(5, null))),
        100);
  }

  private static byte[] image(String name, byte[] today) {
    String stored = stored(name, HexFormat.of().formatHex(today) + "\n");
    return HexFormat.of().parseHex(stored.strip());
  }

  private static Map<String, String> image(String name, Map<String, String> today) {
    StringBuilder lines = new StringBuilder();
    new TreeMap<>(today).forEach((key, value) -> lines.append(key + "=" + value + "\n"));
    Properties properties = new Properties();
    try {
      properties.load(new java.io.StringReader(stored(name, lines.toString())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> image = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> image.put(key, properties.getProperty(key)));
    return image;
  }

  private static String stored(String name, String today) {
    @Nullable String directory = System.getProperty("tidemark.test.images");
    try {
      if (directory != null && !Files.exists(Path.of(directory, name))) {
        Files.writeString(Path.of(directory, name), today);
        return today;
      }
      try (InputStream in =
          Objects.requireNonNull(
              FormatOneTest.class.getResourceAsStream("/format-1/" + name),
              () -> "no image " + name)) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
