package dev.tidemark.integration.iceberg;

import static dev.tidemark.integration.iceberg.Opinions.assertWatermark;
import static dev.tidemark.integration.iceberg.Opinions.hold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two jobs write one table: one joins late, one retires. */
class SharedTableITCase {
  private static final Hold B_IS_BEHIND = Hold.of(Hold.Reason.WRITER_BEHIND, List.of("b"));

  @TempDir Path directory;

  @Test
  void jobThatJoinsHoldsTheTableUntilItsFirstCandidateAndAfterItsEndUntilItIsRetired()
      throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> a =
        Script.of(
            Events.rows(0, 60), Events.rows(60, 120), Events.rows(180, 240), Events.rows(240, 300));
    Script<RowData> b = Script.of(Events.rows(120, 180));
    try (RunningJob left = submit(table, a, "a")) {
      commit(left, a, table, 1);
      commit(left, a, table, 2);
      assertWatermark(table, "09:00");
      try (RunningJob right = submit(table, b, "b")) {
        right.awaitRunning();
        assertThat(hold(table)).isEqualTo(B_IS_BEHIND);
        commit(left, a, table, 3);
        assertWatermark(table, "09:00");
        assertThat(hold(table)).isEqualTo(B_IS_BEHIND);
        commit(right, b, table, 4);
        assertWatermark(table, "10:00");
        right.stopWithSavepoint();
      }
      commit(left, a, table, 5);
      assertWatermark(table, "10:00");
      assertThat(hold(table)).isEqualTo(B_IS_BEHIND);

      FinalizationAdmin.of(table.load()).retire("b");
      assertWatermark(table, "12:00");
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 300));
    assertAscending(table);
  }

  @Test
  void writersNameOutlivesItsJob() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> a = Script.of(Events.rows(60, 120), Events.rows(240, 300));
    Script<RowData> before = Script.of(Events.rows(0, 60));
    Script<RowData> after = Script.of(Events.rows(120, 180));
    try (RunningJob left = submit(table, a, "a")) {
      left.awaitRunning();
      try (RunningJob right = submit(table, before, "b")) {
        right.awaitRunning();
        commit(right, before, table, 1);
        commit(left, a, table, 2);
        assertWatermark(table, "08:00");
      }
      commit(left, a, table, 3);
      assertWatermark(table, "08:00");
      try (RunningJob again = submit(table, after, "b")) {
        again.awaitRunning();
        commit(again, after, table, 4);
        assertWatermark(table, "10:00");
      }
    }
    assertThat(table.load().currentSnapshot().summary().get("finalization.writers"))
        .isEqualTo(
            "a=%d,b=%d"
                .formatted(
                    Opinions.at("12:00").toEpochMilli(), Opinions.at("10:00").toEpochMilli()));
    assertThat(table.ids())
        .hasSize(240)
        .containsAll(Events.ids(0, 180))
        .containsAll(Events.ids(240, 300));
  }

  @Test
  void jobsThatCheckpointAtWillLoseNothingAndNeverMoveTheWatermarkBack() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> a = Script.<RowData>of().releaseWithCheckpoints();
    Script<RowData> b = Script.<RowData>of().releaseWithCheckpoints();
    for (int step = 0; step < 10; step++) {
      a.add(Events.rows(step * 120, step * 120 + 60));
      b.add(Events.rows(step * 120 + 60, step * 120 + 120));
    }
    try (RunningJob left = submit(table, a, "a", Duration.ofMillis(40));
        RunningJob right = submit(table, b, "b", Duration.ofMillis(50))) {
      await().atMost(Duration.ofSeconds(60)).until(() -> table.ids().size() == 1_200);
      left.stopWithSavepoint();
      right.stopWithSavepoint();
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, 1_200));
    assertAscending(table);
    assertThat(table.finality().opinion().writers()).containsOnlyKeys("a", "b");
  }

  private static void assertAscending(TestTable table) {
    List<Long> watermarks =
        table.ancestry().stream()
            .map(Snapshot::summary)
            .map(summary -> summary.get("finalization.watermark-ms"))
            .filter(watermark -> watermark != null)
            .map(Long::valueOf)
            .toList();
    assertThat(watermarks).isNotEmpty().isSorted();
  }

  private static void commit(RunningJob job, Script<RowData> script, TestTable table, int commits)
      throws Exception {
    script.emit();
    job.checkpoint();
    table.awaitCommits(commits);
  }

  private static RunningJob submit(TestTable table, Script<RowData> script, String writer)
      throws Exception {
    return submit(table, script, writer, Duration.ofHours(1));
  }

  private static RunningJob submit(
      TestTable table, Script<RowData> script, String writer, Duration interval) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, interval);
    Events.sink(env, script, table)
        .finalization(
            FinalizationConfig.forWriter(writer)
                .lookback(1, Duration.ZERO)
                .readFromBeginning()
                .build())
        .append();
    return TestCluster.shared().submit(env);
  }
}
