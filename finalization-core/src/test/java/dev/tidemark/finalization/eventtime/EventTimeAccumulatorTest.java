package dev.tidemark.finalization.eventtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.finalization.accumulator.Accumulator;
import dev.tidemark.finalization.accumulator.AccumulatorContract;
import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.testing.TestingClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventTimeAccumulatorTest
    extends AccumulatorContract<EventTimeAccumulatorTest.Event, EventTimeFacts> {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final Extractor EXTRACTOR = new Extractor();

  record Event(@Nullable Long time, RecordRole role) {
    static Event at(String time) {
      return new Event(Instant.parse(time).toEpochMilli(), RecordRole.STREAM);
    }
  }

  private static final class Extractor implements EventTimeExtractor<Event> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean hasEventTime(Event event) {
      return event.time() != null;
    }

    @Override
    public long eventTimeMillis(Event event) {
      return event.time() == null ? Long.MIN_VALUE : event.time();
    }

    @Override
    public RecordRole role(Event event) {
      return event.role();
    }
  }

  private final TestingClock clock = new TestingClock(NOW);
  private final EventTimeAccumulator<Event> accumulator =
      new EventTimeAccumulator<>(EXTRACTOR, Granularity.HOUR, EventTimeBounds.DEFAULT, clock);

  @Override
  protected AccumulatorFactory<Event, EventTimeFacts> factory() {
    return new EventTimeAccumulatorFactory<>(
        EXTRACTOR,
        Granularity.HOUR,
        EventTimeBounds.DEFAULT,
        () -> Clock.fixed(NOW, ZoneOffset.UTC));
  }

  @Override
  protected Event record(Random random) {
    long honest = NOW.toEpochMilli() - (long) Math.exp(5 + 3 * random.nextGaussian());
    return switch (random.nextInt(20)) {
      case 0 -> new Event(null, RecordRole.STREAM);
      case 1 -> new Event(random.nextLong(), RecordRole.STREAM);
      case 2 -> new Event(honest, RecordRole.SNAPSHOT);
      case 3 -> new Event(honest, RecordRole.BACKFILL);
      default -> new Event(honest, RecordRole.STREAM);
    };
  }

  @Override
  protected String subject() {
    return "event-time";
  }

  @Override
  protected void assertAgree(EventTimeFacts one, EventTimeFacts other) {
    assertThat(other.setAside()).isEqualTo(one.setAside());
    assertThat(other.granules()).isEqualTo(one.granules());
    assertThat(other.times().count()).isEqualTo(one.times().count());
    if (one.hasStreamRecords()) {
      assertThat(other.times().minMillis()).isEqualTo(one.times().minMillis());
      assertThat(other.times().maxMillis()).isEqualTo(one.times().maxMillis());
      for (double q : new double[] {0.01, 0.05, 0.5, 0.95, 0.99}) {
        // Up to 4,000 records here: a rank error of 1 % between two groupings, or of one record.
        double slack = Math.max(0.01, 1.5 / one.times().count());
        assertThat(other.times().quantileMillis(q))
            .as("q = %s of %s", q, one.times().count())
            .isBetween(
                one.times().quantileMillis(Math.max(0, q - slack)) - 100,
                one.times().quantileMillis(Math.min(1, q + slack)) + 100);
      }
    }
  }

  @Test
  void countsTheStreamExactly() {
    add(Event.at("2026-01-01T10:59:59.999Z"), Event.at("2026-01-01T11:00:00Z"));
    add(Event.at("2026-01-01T11:30:00.001Z"), Event.at("2026-01-01T09:00:00Z"));

    EventTimeFacts facts = accumulator.snapshot();

    assertThat(facts.times().count()).isEqualTo(4);
    assertThat(facts.times().minMillis()).isEqualTo(millis("2026-01-01T09:00:00Z"));
    assertThat(facts.times().maxMillis()).isEqualTo(millis("2026-01-01T11:30:00.001Z"));
    assertThat(facts.granules())
        .isEqualTo(
            GranuleCounts.of(
                new TreeMap<>(
                    Map.of(
                        millis("2026-01-01T09:00:00Z"), 1L,
                        millis("2026-01-01T10:00:00Z"), 1L,
                        millis("2026-01-01T11:00:00Z"), 2L))));
    assertThat(facts.setAside()).isEqualTo(SetAside.NONE);
  }

  @Test
  void onlyTheStreamEntersMinMaxAndSketch() {
    long old = millis("2025-01-01T00:00:00Z");
    add(
        new Event(old, RecordRole.SNAPSHOT),
        new Event(old, RecordRole.BACKFILL),
        new Event(null, RecordRole.BACKFILL),
        new Event(null, RecordRole.STREAM));

    EventTimeFacts facts = accumulator.snapshot();

    assertThat(facts.hasStreamRecords()).isFalse();
    assertThat(facts.granules().isEmpty()).isTrue();
    assertThat(facts.setAside())
        .isEqualTo(new SetAside(1, 0, Long.MAX_VALUE, Long.MIN_VALUE, 1, 2));
  }

  @Test
  void bothBoundsAreInclusive() {
    long earliest = millis("2000-01-01T00:00:00Z");
    long latest = NOW.plus(Duration.ofMinutes(5)).toEpochMilli();
    for (long time : new long[] {earliest, latest, earliest - 1, latest + 1}) {
      accumulator.add(new Event(time, RecordRole.STREAM));
    }

    EventTimeFacts facts = accumulator.snapshot();

    assertThat(facts.times().minMillis()).isEqualTo(earliest);
    assertThat(facts.times().maxMillis()).isEqualTo(latest);
    assertThat(facts.setAside()).isEqualTo(new SetAside(0, 2, earliest - 1, latest + 1, 0, 0));
  }

  @Test
  void theLatestCredibleTimeFollowsTheClock() {
    Event ahead = Event.at("2026-01-01T12:30:00Z");
    add(ahead);
    clock.advance(Duration.ofMinutes(25));
    add(ahead);

    assertThat(accumulator.snapshot().setAside().invalidCount()).isEqualTo(1);
    assertThat(accumulator.snapshot().times().count()).isEqualTo(1);
  }

  @Test
  void extremeNumbersAreInvalidAndDoNotThrow() {
    for (long time : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, -1, 0, 1}) {
      accumulator.add(new Event(time, RecordRole.STREAM));
    }

    assertThat(accumulator.snapshot().setAside())
        .isEqualTo(new SetAside(0, 5, Long.MIN_VALUE, Long.MAX_VALUE, 0, 0));
  }

  @Test
  void propertiesLeaveOutWhatDidNotHappen() {
    assertThat(EventTimeProperties.write(accumulator.snapshot()))
        .containsExactly(Map.entry("finalization.event-time.count", "0"));

    add(Event.at("2026-01-01T11:00:00Z"));

    assertThat(EventTimeProperties.write(accumulator.snapshot()).keySet())
        .containsExactlyInAnyOrder(
            "finalization.event-time.count",
            "finalization.event-time.min-ms",
            "finalization.event-time.max-ms",
            "finalization.event-time.p01-ms",
            "finalization.event-time.p50-ms",
            "finalization.event-time.p99-ms",
            "finalization.event-time.digest");
  }

  @Test
  void propertiesReadBackButForTheRowsPerGranule() {
    Random random = new Random(7);
    for (int i = 0; i < 50; i++) {
      accumulator.add(record(random));
    }
    EventTimeFacts facts = accumulator.snapshot();

    assertThat(EventTimeProperties.read(EventTimeProperties.write(facts)))
        .hasValue(new EventTimeFacts(facts.times(), facts.setAside(), GranuleCounts.none()));
    assertThat(EventTimeProperties.read(Map.of("foreign", "1"))).isEmpty();
  }

  @Test
  void propertiesThatContradictEachOtherAreRefused() {
    add(Event.at("2026-01-01T11:00:00Z"), Event.at("2026-01-01T11:01:00Z"));
    Map<String, String> properties = EventTimeProperties.write(accumulator.snapshot());
    Map<String, String> without = new TreeMap<>(properties);
    without.remove("finalization.event-time.digest");
    Map<String, String> other = new TreeMap<>(properties);
    other.put("finalization.event-time.count", "3");
    Map<String, String> word = new TreeMap<>(properties);
    word.put("finalization.event-time.null-count", "few");

    assertThat(EventTimeProperties.read(without).orElseThrow().times())
        .isEqualTo(accumulator.snapshot().times());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventTimeProperties.read(other))
        .withMessageContaining("finalization.event-time.digest: 2 records (expected: 3");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventTimeProperties.read(word))
        .withMessageContaining("finalization.event-time.null-count: few");
  }

  @Test
  void quantilesInPlainTextAreThoseOfTheSketch() {
    for (int second = 0; second < 1_000; second++) {
      accumulator.add(
          new Event(NOW.minusSeconds(1_000 - second).toEpochMilli(), RecordRole.STREAM));
    }
    Map<String, String> properties = EventTimeProperties.write(accumulator.snapshot());

    long p50 = Long.parseLong(properties.get("finalization.event-time.p50-ms"));
    assertThat(p50).isCloseTo(NOW.minusSeconds(500).toEpochMilli(), within(2_000L));
    assertThat(Long.parseLong(properties.get("finalization.event-time.p01-ms")))
        .isCloseTo(NOW.minusSeconds(990).toEpochMilli(), within(2_000L));
    assertThat(Long.parseLong(properties.get("finalization.event-time.p99-ms")))
        .isCloseTo(NOW.minusSeconds(10).toEpochMilli(), within(2_000L));
  }

  private void add(Event... events) {
    Accumulator<Event, EventTimeFacts> target = accumulator;
    for (Event event : events) {
      target.add(event);
    }
  }

  private static long millis(String time) {
    return Instant.parse(time).toEpochMilli();
  }
}
