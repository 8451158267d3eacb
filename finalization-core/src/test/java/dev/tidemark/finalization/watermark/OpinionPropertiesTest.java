package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.late.LateDataReport.Cause;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpinionPropertiesTest {
  private static final long TIME = 1_767_265_200_000L;
  private static final long HOUR = 3_600_000L;

  @Test
  void anyOpinionReadsBackEqual() {
    Random random = Seeds.random("OpinionProperties round trip");
    for (int round = 0; round < 500; round++) {
      Opinion opinion = random(random);
      Map<String, String> properties = new HashMap<>(FinalizationProperties.write(opinion));
      properties.put("foreign", "1");

      Opinion read = FinalizationProperties.readOpinion(properties).orElseThrow();

      assertThat(read).isEqualTo(opinion);
      assertThat(FinalizationProperties.write(read))
          .isEqualTo(FinalizationProperties.write(opinion));
    }
  }

  /** With many writers each keeps fewer runs, merged towards the safe side. */
  @Test
  void manyWritersShareTheRunsOfTheirWindows() {
    Random random = Seeds.random("OpinionProperties runs");
    TreeMap<String, WriterState> writers = new TreeMap<>();
    for (int i = 0; i < 4; i++) {
      writers.put("w" + i, state(random, 16));
    }
    Opinion read = read(with(random(random), writers));

    read.writers()
        .forEach(
            (name, state) -> {
              CommitWindow before = Objects.requireNonNull(writers.get(name)).window();
              assertThat(state.window().runs()).hasSize(4);
              assertThat(state.window().minimum()).isEqualTo(before.minimum());
              assertThat(state.window().commits()).isEqualTo(before.commits());
              assertThat(state.window().startMillis()).isEqualTo(before.startMillis());
            });
  }

  @Test
  void theMirrorRepeatsWhatPeopleReadAndNothingElse() {
    Opinion opinion =
        new Opinion(
            new FinalizationWatermark(0L, TIME, Evidence.ESTIMATE),
            PolicyText.parse("min;6;PT30M;PT1H"),
            Hold.of(Hold.Reason.WARM_UP),
            2,
            true,
            new TreeMap<>(),
            ReopenedGranules.NONE);

    assertThat(FinalizationProperties.mirrored(opinion))
        .isEqualTo(
            Map.of(
                "finalization.format", "1",
                "finalization.watermark-ms", "1767265200000",
                "finalization.watermark", "2026-01-01T11:00:00Z",
                "finalization.from-ms", "0",
                "finalization.evidence", "estimate",
                "finalization.policy", "min;6;PT30M;PT1H",
                "finalization.epoch", "2",
                "finalization.bootstrap", "pending"));
  }

  @Test
  void lateRowsAndCoverageTravelWithTheOutcome() {
    Opinion opinion = random(new Random(1));
    Coverage coverage = Coverage.of(Map.of());
    GranuleCounts stream = GranuleCounts.of(new TreeMap<>(Map.of(TIME, 3L)));
    GranuleCounts foreign = GranuleCounts.of(new TreeMap<>(Map.of(TIME, 4L)));
    Map<String, String> properties =
        FinalizationProperties.write(
            new Outcome(
                opinion,
                new Decision.Advance(TIME),
                List.of(
                    new LateDataReport(TIME + HOUR, stream, Cause.STREAM),
                    new LateDataReport(TIME + HOUR, foreign, Cause.FOREIGN)),
                coverage,
                true));

    assertThat(FinalizationProperties.readLate(properties)).isEqualTo(new LateRows(stream, 0));
    assertThat(properties)
        .containsEntry("finalization.late", "1767265200:3")
        .containsEntry("finalization.late-foreign", "1767265200:4");
    assertThat(FinalizationProperties.readCoverage(properties)).hasValue(coverage);
    assertThat(FinalizationProperties.readLate(Map.of())).isEqualTo(LateRows.NONE);
    assertThat(FinalizationProperties.readCoverage(Map.of())).isEmpty();
  }

  @Test
  void foreignPropertiesCarryNoOpinion() {
    assertThat(FinalizationProperties.readOpinion(Map.of("operation", "append"))).isEmpty();
    assertThat(FinalizationProperties.readOpinion(FinalizationProperties.identity("orders", "id")))
        .isEmpty();
  }

  @Test
  void aMirrorAloneIsAnOpinionWithoutWriters() {
    Opinion opinion = random(new Random(2));

    Opinion read =
        FinalizationProperties.readOpinion(FinalizationProperties.mirrored(opinion)).orElseThrow();

    assertThat(read.watermark()).isEqualTo(opinion.watermark());
    assertThat(read.writers()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "finalization.format       | 2             | Cannot read finalization format 2",
        "finalization.format       | x             | Invalid value of finalization.format: x",
        "finalization.watermark-ms | 11:00         | Invalid value of finalization.watermark-ms",
        "finalization.from-ms      | ?             | Invalid value of finalization.from-ms: ?",
        "finalization.epoch        | 1.5           | Invalid value of finalization.epoch: 1.5",
        "finalization.evidence     | proof         | Invalid evidence: proof",
        "finalization.policy       | min           | Invalid policy text: min",
        "finalization.hold         | LAZY          | Invalid hold: LAZY",
        "finalization.reopened     | 1             | Invalid list of granules: 1",
        "finalization.writers      | orders        | Invalid list of writers: orders",
        "finalization.writers      | orders=soon   | Invalid list of writers: orders=soon",
        "finalization.window       | orders=AQ     | Cannot read finalization window",
        "finalization.window       | orders=A Q    | Cannot read finalization window",
      })
  void aValueThatItDoesNotWriteIsRefusedByName(String key, String value, String message) {
    Opinion opinion = random(new Random(3));
    Map<String, String> properties =
        new HashMap<>(
            FinalizationProperties.write(
                with(opinion, new TreeMap<>(Map.of("orders", state(new Random(4), 3))))));
    properties.put(key, value);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> FinalizationProperties.readOpinion(properties))
        .withMessageContaining(message);
  }

  private static Opinion read(Opinion opinion) {
    return FinalizationProperties.readOpinion(FinalizationProperties.write(opinion)).orElseThrow();
  }

  private static Opinion with(Opinion opinion, TreeMap<String, WriterState> writers) {
    return new Opinion(
        opinion.watermark(),
        opinion.policy(),
        opinion.hold(),
        opinion.epoch(),
        opinion.bootstrapPending(),
        writers,
        opinion.reopened());
  }

  private static Opinion random(Random random) {
    TreeMap<String, WriterState> writers = new TreeMap<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      writers.put("writer-" + random.nextInt(99), state(random, 16 / Math.max(1, count)));
    }
    ReopenedGranules reopened = ReopenedGranules.NONE;
    for (int i = random.nextInt(40); i > 0; i--) {
      long granule = TIME - random.nextInt(60) * HOUR;
      reopened = reopened.plus(GranuleCounts.of(new TreeMap<>(Map.of(granule, 1L + i))));
    }
    Hold.Reason[] reasons = Hold.Reason.values();
    List<String> names = new ArrayList<>();
    for (int i = random.nextInt(8); i > 0; i--) {
      names.add("events-" + i);
    }
    List<String> granularities = List.of("PT1H", "PT15M", "P1D", "P1D@Asia/Kolkata");
    return new Opinion(
        new FinalizationWatermark(
            orNull(random, TIME - HOUR),
            orNull(random, TIME + random.nextInt(9) * HOUR),
            Evidence.values()[random.nextInt(2)]),
        new PolicyText(
            policy(random),
            1 + random.nextInt(99),
            Duration.ofSeconds(random.nextInt(9_999)),
            Granularity.parse(granularities.get(random.nextInt(4)))),
        random.nextBoolean() ? null : Hold.of(reasons[random.nextInt(reasons.length)], names),
        random.nextInt(3),
        random.nextBoolean(),
        writers,
        reopened);
  }

  private static WriterState state(Random random, int runs) {
    CommitWindow window = CommitWindow.EMPTY;
    for (int i = 0; i < 3 * runs && window.runs().size() < runs; i++) {
      window =
          window.add(
              TIME + i * 300_000L, TIME + i * 60_000L + random.nextInt(9), 99, Duration.ZERO);
    }
    return new WriterState(
        orNull(random, TIME - random.nextInt(9) * HOUR),
        Evidence.values()[random.nextInt(2)],
        orNull(random, TIME - random.nextInt(99_999)),
        policy(random).toString(),
        window);
  }

  private static FinalizationPolicy policy(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> FinalizationPolicy.MIN;
      case 1 -> FinalizationPolicy.SOURCE_PROMISE;
      case 2 -> FinalizationPolicy.quantile(random.nextInt(500) / 1000.0);
      default -> FinalizationPolicy.boundedLateness(Duration.ofMillis(random.nextInt(9_999_999)));
    };
  }

  private static @Nullable Long orNull(Random random, long value) {
    return random.nextInt(4) == 0 ? null : Long.valueOf(value);
  }
}
