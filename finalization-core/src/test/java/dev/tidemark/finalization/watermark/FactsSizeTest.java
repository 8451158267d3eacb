package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.eventtime.EventTimeAccumulator;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.eventtime.RecordRole;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The budget: all keys and values of a commit's facts within 1 KB, the digest within 300. */
class FactsSizeTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  /** A time, or for every hundredth record a reason why it has none that counts. */
  private static final class Odd implements EventTimeExtractor<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean hasEventTime(Long time) {
      return time % 400 != 0;
    }

    @Override
    public long eventTimeMillis(Long time) {
      return time % 400 == 100 ? 0 : time;
    }

    @Override
    public RecordRole role(Long time) {
      return time % 400 == 200
          ? RecordRole.SNAPSHOT
          : time % 400 == 300 ? RecordRole.BACKFILL : RecordRole.STREAM;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1000, lognormal", "10000, lognormal", "100000, lognormal", "1000000, lognormal",
    "1000, days", "10000, days", "100000, days", "1000000, days",
    "1000000, years", "1000, years"
  })
  void factsStayWithinTheirBudget(int records, String shape) {
    Map<String, String> properties = properties(records, shape, time -> time);

    assertThat(properties).hasSize(11);
    assertThat(digest(properties).length()).isBetween(1, 300);
    assertThat(size(properties)).isLessThanOrEqualTo(1024);
  }

  /** Six keys more than the usual commit has: the digest gets what is left, if anything fits. */
  @ParameterizedTest
  @CsvSource({"10000, lognormal", "1000000, lognormal", "1000000, days", "1000000, years"})
  void theDigestMakesRoomForWhatIsSetAside(int records, String shape) {
    Map<String, String> properties = properties(records, shape, new Odd());

    assertThat(properties).hasSizeBetween(16, 17);
    assertThat(properties).containsKeys(EventTimeProperties.PREFIX + "p50-ms");
    assertThat(size(properties)).isLessThanOrEqualTo(1024);
    assertThat(EventTimeProperties.read(properties).orElseThrow().times().count())
        .isEqualTo(Long.parseLong(properties.get(EventTimeProperties.PREFIX + "count")));
  }

  private static Map<String, String> properties(
      int records, String shape, EventTimeExtractor<Long> extractor) {
    Random random = Seeds.random("FactsSize " + records + shape);
    EventTimeAccumulator<Long> accumulator =
        new EventTimeAccumulator<>(
            extractor, Granularity.HOUR, EventTimeBounds.DEFAULT, Clock.fixed(NOW, ZoneOffset.UTC));
    for (int i = 0; i < records; i++) {
      accumulator.add(NOW.toEpochMilli() - lag(random, shape));
    }
    EventTimeFacts facts = accumulator.snapshot();
    TreeMap<Long, Long> late = new TreeMap<>();
    for (int hour = 0; hour < 24; hour++) {
      late.put(
          NOW.minusSeconds(3_600L * (hour + 3)).toEpochMilli(), 1_000L + random.nextInt(9_000));
    }

    Map<String, String> properties = new LinkedHashMap<>(EventTimeProperties.write(facts));
    properties.putAll(
        FinalizationProperties.identity(
            "orders-to-lakehouse-main-writer", new UUID(1, 2).toString()));
    properties.put(FinalizationProperties.LATE, LateRows.of(GranuleCounts.of(late)).toText());

    System.out.println(
        shape
            + " "
            + records
            + ": facts "
            + size(properties)
            + " characters, digest "
            + digest(properties).length());
    return properties;
  }

  private static String digest(Map<String, String> properties) {
    return properties.getOrDefault(EventTimeProperties.PREFIX + "digest", "");
  }

  private static int size(Map<String, String> properties) {
    return properties.entrySet().stream().mapToInt(FactsSizeTest::length).sum();
  }

  private static int length(Map.Entry<String, String> entry) {
    return entry.getKey().length() + entry.getValue().length();
  }

  private static long lag(Random random, String shape) {
    return switch (shape) {
      case "lognormal" -> (long) (20_000 * Math.exp(1.2 * random.nextGaussian()));
      case "days" -> (long) (random.nextDouble() * 3 * 86_400_000);
      default -> (long) (random.nextDouble() * 20 * 365 * 86_400_000);
    };
  }
}
