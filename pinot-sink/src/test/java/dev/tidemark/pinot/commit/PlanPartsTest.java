package dev.tidemark.pinot.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.PinotAuth;
import dev.tidemark.pinot.segment.Run;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Replaced segments, creation times, and what a job graph carries of a plan. */
class PlanPartsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Instant FROM = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant TO = Instant.parse("2026-01-02T00:00:00Z");
  private static final long START = FROM.toEpochMilli();
  private static final long END = TO.toEpochMilli();

  @Test
  void windowTakesWhatLiesInsideAndRefusesWhatCrossesItsEdge() {
    ReplacedSegments window = ReplacedSegments.within(FROM, TO);
    assertThat(window.replaces(candidate(START, END - 1))).isTrue();
    assertThat(window.replaces(candidate(START - 2, START - 1))).isFalse();
    assertThat(window.replaces(candidate(END, END))).isFalse();
    assertThatThrownBy(() -> window.replaces(candidate(START - 1, START)))
        .hasMessageContaining("reach out of [2026-01-01T00:00:00Z, 2026-01-02T00:00:00Z)");
    assertThatThrownBy(() -> window.replaces(candidate(END - 1, END)))
        .hasMessageContaining("reach out of");
    assertThatThrownBy(() -> window.replaces(new ReplacedSegments.Candidate("s", null, null)))
        .hasMessageContaining("it has no times");
    assertThatThrownBy(() -> ReplacedSegments.within(TO, FROM))
        .hasMessageContaining("Invalid window");
  }

  @Test
  void prefixTakesNamesThatStartSo() {
    ReplacedSegments prefix = ReplacedSegments.withNamePrefix("old_");
    assertThat(prefix.replaces(new ReplacedSegments.Candidate("old_1", null, null))).isTrue();
    assertThat(prefix.replaces(new ReplacedSegments.Candidate("older", null, null))).isFalse();
  }

  @Test
  void creationTimesDifferWithinARunAndLieFarBeforeTheStream() {
    Run run = new Run("load", START, 0);
    Run restored = run.restored(7);
    Set<Long> times = new HashSet<>();
    long last = Long.MIN_VALUE;
    for (Run epoch : List.of(run, restored)) {
      for (long sequence : new long[] {0, 1, 999_999}) {
        long time = CreationTimes.creationTimeMillis(TieRule.STREAM_WINS, epoch, sequence);
        assertThat(time).isGreaterThan(last);
        times.add(time);
        last = time;
      }
    }
    assertThat(times).hasSize(6);
    assertThat(last).isLessThan(START - Duration.ofDays(3_600).toMillis());
    assertThat(CreationTimes.creationTimeMillis(TieRule.BACKFILL_WINS, run, 3))
        .isEqualTo(START + 3);
    assertThatThrownBy(() -> CreationTimes.creationTimeMillis(TieRule.STREAM_WINS, run, 1_000_000))
        .hasMessageContaining("Invalid sequence: 1000000");
  }

  @Test
  void planSurvivesTheJobGraph() throws Exception {
    PinotPlan plan =
        PinotPlan.builder(
                new PinotTable("orders", PinotTable.Type.OFFLINE),
                ControllerSettings.builder("http://127.0.0.1:9000")
                    .auth(PinotAuth.bearer(() -> "token"))
                    .build())
            .replaced(ReplacedSegments.within(FROM, TO))
            .partitions(4)
            .build();
    PinotPlan copy = copy(plan);
    assertThat(copy.table()).isEqualTo(plan.table());
    assertThat(copy.controller().url()).isEqualTo("http://127.0.0.1:9000");
    assertThat(copy.replaced().isNone()).isFalse();
    assertThat(copy(ReplacedSegments.none()).isNone()).isTrue();
  }

  @Test
  void contradictingSettingsAreRefused() {
    PinotPlan.Builder builder =
        PinotPlan.builder(
            new PinotTable("orders", PinotTable.Type.OFFLINE),
            ControllerSettings.of("http://127.0.0.1:9000"));
    assertThatThrownBy(() -> builder.opinionSource(commit -> java.util.Optional.empty()).build())
        .hasMessageContaining("an opinion source without finalization");
    assertThatThrownBy(() -> builder.partitions(0)).hasMessageContaining("partition count: 0");
    assertThatThrownBy(() -> new PinotPlan.Upload(PushMode.TAR, 0, Duration.ofMinutes(1), true))
        .hasMessageContaining("groups of 0");
  }

  @Test
  void rulesLetEverythingPassWhereNothingIsConfigured() {
    assertThat(UpsertRules.NONE.refusal(null, null, END)).isEmpty();
    assertThat(UpsertRules.NONE.refusal(Long.MIN_VALUE, Double.MAX_VALUE, END)).isEmpty();
  }

  @Test
  void comparisonValuesFarAheadOfTheClockAreRefusedWithoutATtlToo() throws Exception {
    ControllerClient unasked = ControllerClient.of(ControllerSettings.of("http://127.0.0.1:9"));
    String fields =
        "{\"name\": \"ts\", \"dataType\": \"LONG\", \"format\": \"1:MILLISECONDS:EPOCH\"},"
            + "{\"name\": \"seen\", \"dataType\": \"LONG\", \"format\": \"EPOCH|SECONDS\"}";
    for (String column : List.of("ts", "seen")) {
      TableShape shape =
          new TableShape(
              new PinotTable("orders", PinotTable.Type.REALTIME),
              MAPPER.readTree(
                  "{\"segmentsConfig\": {\"timeColumnName\": \"ts\"}, \"upsertConfig\":"
                      + " {\"mode\": \"FULL\", \"comparisonColumns\": [\""
                      + column
                      + "\"]}}"),
              MAPPER.readTree(
                  "{\"primaryKeyColumns\": [\"id\"], \"dateTimeFieldSpecs\": [" + fields + "]}"));
      UpsertRules rules = UpsertRules.of(shape, unasked, Duration.ofHours(1));
      long step = column.equals("ts") ? 1 : 1_000;
      long hour = Duration.ofHours(1).toMillis();
      assertThat(rules.refusal(START, (START + hour) / step, START)).isEmpty();
      assertThat(rules.refusal(START, (START + hour) / step + 1, START))
          .hasValueSatisfying(reason -> assertThat(reason).contains("lies in the future"));
    }
  }

  @Test
  void lateRowsAreLeftOutOfLabelsThatAreTooLong() {
    Map<String, String> carrier = new HashMap<>();
    carrier.put(FinalizationProperties.LATE, "x".repeat(5_000));
    carrier.put("custom", "y".repeat(3_000));
    Labels labels = Labels.fitting(Map.of(), carrier);
    assertThat(labels.carrier()).containsOnlyKeys("custom");
    carrier.put("custom", "y".repeat(8_000));
    assertThatThrownBy(() -> Labels.fitting(Map.of(), carrier))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot write a custom map of");
    carrier.put("custom", "y");
    assertThat(Labels.fitting(Map.of(), carrier).carrier()).hasSize(2);
  }

  private static ReplacedSegments.Candidate candidate(long start, long end) {
    return new ReplacedSegments.Candidate("s", start, end);
  }

  @SuppressWarnings({"unchecked", "BanSerializableRead"})
  private static <T> T copy(T value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (T) in.readObject();
    }
  }
}
