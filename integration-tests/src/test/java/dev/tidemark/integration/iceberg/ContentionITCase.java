package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody else changes the table between the look at it and the commit. */
class ContentionITCase {
  @TempDir Path directory;

  private TestTable table;

  @BeforeEach
  void createTable() throws Exception {
    table = TestTable.create(directory);
  }

  @Test
  void aForeignCommitInTheWayHasTheCommitDecidedAgain() throws Exception {
    table.faults().overtake(Faults.Kind.DATA, () -> table.load().newAppend().commit());
    HookLog hook = new HookLog();
    commitTwoSteps(hook);
    assertThat(hook.before()).hasSize(3);
    assertThat(table.ancestry()).hasSize(4);
    assertExact();
  }

  @Test
  void aPropertyOfSomebodyElseInTheWayCostsNoDecision() throws Exception {
    table
        .faults()
        .overtake(
            Faults.Kind.DATA, () -> table.load().updateProperties().set("owner", "me").commit());
    HookLog hook = new HookLog();
    commitTwoSteps(hook);
    assertThat(hook.before()).hasSize(2);
    assertThat(table.properties()).containsEntry("owner", "me");
    assertExact();
  }

  @Test
  void aWatermarkWrittenByHandIsNotBelieved() throws Exception {
    String farAhead = Long.toString(Instant.parse("2030-01-01T00:00:00Z").toEpochMilli());
    table
        .faults()
        .overtake(
            Faults.Kind.DATA,
            () ->
                table
                    .load()
                    .updateProperties()
                    .set(FinalizationProperties.WATERMARK_MS, farAhead)
                    .commit());
    HookLog hook = new HookLog();
    commitTwoSteps(hook);
    assertThat(hook.before()).hasSize(3);
    assertExact();
  }

  private void commitTwoSteps(HookLog hook) throws Exception {
    Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).processor(hook).append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      assertThat(job.attempts()).isZero();
    }
  }

  private void assertExact() {
    assertThat(table.faults().used()).isEqualTo(1);
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.commits())
        .extracting(commit -> commit.summary().get(FinalizationProperties.WATERMARK))
        .containsExactly("2026-01-01T08:00:00Z", "2026-01-01T09:00:00Z");
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T09:00:00Z")
        .containsEntry(FinalizationProperties.WATERMARK_MS, Events.timeOf(60).toEpochMilli() + "");
  }
}
