package dev.tidemark.pinot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pinot.segment.Run;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PinotMirrorTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Test
  void entryIsReadAsItWasWrittenAndNothingElseChanges() throws Exception {
    JsonNode config =
        MAPPER.readTree(
            "{\"tableName\": \"t\", \"new\": {\"field\": 1}, \"metadata\": {\"customConfigs\":"
                + " {\"owner\": \"x\"}}}");
    JsonNode changed = PinotMirror.with(config, PinotMirror.key("load"), entry());

    assertThat(PinotMirror.of(changed).entries().get(PinotMirror.key("load"))).isEqualTo(entry());
    assertThat(changed.path("new")).isEqualTo(config.path("new"));
    assertThat(changed.path("metadata").path("customConfigs").path("owner").asText())
        .isEqualTo("x");
    assertThat(config.path("metadata").path("customConfigs")).hasSize(1);
  }

  @Test
  void configWithoutMetadataGetsSome() throws Exception {
    for (String text : List.of("{}", "{\"metadata\": null}", "{\"metadata\": {}}")) {
      JsonNode changed = PinotMirror.with(MAPPER.readTree(text), PinotMirror.key(null), entry());
      assertThat(PinotMirror.of(changed).entries()).hasSize(1);
    }
  }

  @Test
  void damagedEntryIsAsGoodAsAbsentAndANewerFormatIsTold() throws Exception {
    JsonNode damaged =
        MAPPER.readTree(
            "{\"metadata\": {\"customConfigs\": {\"finalization.writer.a\": \"no json\","
                + " \"finalization.writer.b\": \"{\\\"finalization.policy\\\":"
                + " \\\"nonsense\\\"}\"}}}");
    assertThat(PinotMirror.of(damaged).entries()).isEmpty();

    Map<String, String> newer = entry();
    newer.put(FinalizationProperties.FORMAT, "2");
    JsonNode config = PinotMirror.with(MAPPER.readTree("{}"), PinotMirror.key("load"), newer);
    assertThatThrownBy(() -> PinotMirror.of(config))
        .hasMessageContaining("Cannot read finalization format 2");
  }

  @Test
  void finishedRunsAreRememberedByEpochAndTheOldestForgotten() throws Exception {
    PinotMirror mirror = PinotMirror.of(MAPPER.readTree("{}"));
    for (int run = 0; run < 40; run++) {
      Map<String, String> entry = new LinkedHashMap<>();
      entry.put(
          PinotProperties.FINISHED_RUNS,
          mirror.finishedRunsWith("finalization.ledger", new CommitRecord.RunRef("r" + run, 1)));
      mirror =
          PinotMirror.of(PinotMirror.with(MAPPER.readTree("{}"), "finalization.ledger", entry));
    }
    assertThat(mirror.isFinished(new CommitRecord.RunRef("r39", 0))).isTrue();
    assertThat(mirror.isFinished(new CommitRecord.RunRef("r39", 1))).isTrue();
    assertThat(mirror.isFinished(new CommitRecord.RunRef("r39", 2))).isFalse();
    assertThat(mirror.isFinished(new CommitRecord.RunRef("r8", 0))).isTrue();
    assertThat(mirror.isFinished(new CommitRecord.RunRef("r7", 0))).isFalse();
    assertThat(mirror.isFinished(new CommitRecord.RunRef("r3", 0))).isFalse();
  }

  @Test
  void epochsOfTenDigitsAreRemembered() throws Exception {
    PinotMirror mirror = PinotMirror.of(MAPPER.readTree("{}"));
    Map<String, String> entry = new LinkedHashMap<>();
    CommitRecord.RunRef run = new CommitRecord.RunRef("load", Integer.MAX_VALUE);
    entry.put(PinotProperties.FINISHED_RUNS, mirror.finishedRunsWith("finalization.ledger", run));
    entry.put(PinotProperties.REPLACING_RUNS, mirror.replacingRunsWith("finalization.ledger", run));
    mirror = PinotMirror.of(PinotMirror.with(MAPPER.readTree("{}"), "finalization.ledger", entry));
    assertThat(mirror.isFinished(run)).isTrue();
    assertThat(mirror.hasReplaced("load")).isTrue();
    assertThat(mirror.hasReplaced("other")).isFalse();
  }

  @Test
  void restoredRunWithdrawsWhatItsCheckpointDoesNotKnow() {
    Run restored = new Run("load", 1, 2, 7L);
    CommitRecord.RunRef run = CommitRecord.RunRef.withdrawing(restored, 9);
    assertThat(run.withdraws(1, 8)).isTrue();
    assertThat(run.withdraws(1, 7)).isFalse();
    assertThat(run.withdraws(2, 8)).isFalse();
    CommitRecord.RunRef first = CommitRecord.RunRef.withdrawing(new Run("load", 1, 0), 9);
    assertThat(first.withdraws(-1, Long.MAX_VALUE)).isFalse();
  }

  @Test
  void everyTaskThatRewritesSegmentsExplainsWhatIsGone() throws Exception {
    for (String task :
        List.of("MergeRollupTask", "UpsertCompactionTask", "UpsertCompactMergeTask", "PurgeTask")) {
      JsonNode config =
          MAPPER.readTree("{\"task\": {\"taskTypeConfigsMap\": {\"" + task + "\": {}}}}");
      assertThat(PinotConfigs.rewritesSegments(config)).describedAs(task).isTrue();
    }
  }

  @Test
  void recordIsReadAsItWasWritten() {
    CommitRecord record =
        new CommitRecord(
            "id",
            new CommitRecord.RunRef("run", 2, 4L),
            Long.MAX_VALUE,
            "carrier",
            5,
            new CommitRecord.Size(3, 30, 7, 1L, 2L, 0L),
            true,
            "parent");
    assertThat(CommitRecord.read(record.properties())).contains(record);
    assertThat(CommitRecord.read(record.pointer())).isEmpty();
    CommitRecord least =
        new CommitRecord(
            "id",
            new CommitRecord.RunRef("run", 0),
            1,
            null,
            5,
            new CommitRecord.Size(0, 0, 0, null, null, null),
            false,
            null);
    assertThat(CommitRecord.read(least.properties())).contains(least);
  }

  @Test
  void runIsToldByTheWholeOfItsId() {
    RunSegments run = new RunSegments("load-1");
    assertThat(run.isOne("orders_load-1_0_3_12")).isTrue();
    assertThat(run.isOne("backfill__orders__3__20260101T0000Z__load-1_0_3_12")).isTrue();
    assertThat(run.isOne("load-1_0_3_12_post")).isTrue();
    assertThat(run.isOne("orders_load-12_0_3_12")).isFalse();
    assertThat(run.isOne("orders_reload-1_0_3_12")).isFalse();
    assertThat(run.isOne("orders_load-1_0_3")).isFalse();
    RunSegments number = new RunSegments("1");
    assertThat(number.isOne("orders_1_0_3_12")).isTrue();
    assertThat(number.isOne("orders_other_1_3_12")).isFalse();
    assertThat(number.count(List.of("orders_1_0_0_0", "orders_2_1_0_0", "orders_1_2_3_4")))
        .isEqualTo(2);
  }

  private static Map<String, String> entry() {
    Opinion opinion = Opinion.initial(FinalizationConfig.forWriter("load").build().policyText());
    return new LinkedHashMap<>(FinalizationProperties.write(opinion));
  }
}
