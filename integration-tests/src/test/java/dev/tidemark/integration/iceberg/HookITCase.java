package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hooks around a commit: they may refuse it, and they hear of it at least once. */
class HookITCase {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;

  private TestTable table;
  private final Script<RowData> script = Script.of(Events.rows(0, 60), Events.rows(60, 120));

  @BeforeEach
  void createTable() throws Exception {
    table = TestTable.create(directory);
  }

  @Test
  void aCommitThatIsRefusedTwiceIsMadeOnce() throws Exception {
    HookLog hook = new HookLog().refusing(2);
    try (RunningJob job = submit(hook)) {
      commitBothSteps(job);
      awaitTold(hook, 2);
      assertThat(job.attempts()).isZero();
    }
    assertExact();
    List<String> ids = commitIds();
    assertThat(hook.before()).containsExactly(ids.get(0), ids.get(0), ids.get(0), ids.get(1));
    assertThat(hook.after()).containsExactlyElementsOf(ids);
  }

  @Test
  void aCommitThatIsRefusedForEverFailsTheJobForGoodWithTheReason() throws Exception {
    HookLog hook = new HookLog().refusing(1_000);
    try (RunningJob job = submit(hook)) {
      script.emit();
      job.checkpoint();
      assertThat(job.awaitFailure())
          .contains("the audit of test.db." + table.name() + " says no")
          .contains("a pre-commit hook refused it 5 times");
    }
    assertThat(hook.before()).hasSize(5);
    assertThat(hook.after()).isEmpty();
    assertThat(table.ids()).isEmpty();
    assertThat(table.commits()).isEmpty();
  }

  @Test
  void aHookThatFailsBeforeTheCommitRestartsTheJob() throws Exception {
    HookLog hook = new HookLog().crashingBefore(1);
    try (RunningJob job = submit(hook)) {
      script.emit();
      job.checkpoint();
      job.awaitRestarted(1);
      table.awaitCommits(1);
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      awaitTold(hook, 2);
    }
    assertExact();
    assertThat(hook.after()).containsExactlyElementsOf(commitIds());
  }

  @Test
  void aCommitWhoseHookWasCutOffIsToldAgain() throws Exception {
    HookLog hook = new HookLog().crashingAfter(1);
    try (RunningJob job = submit(hook)) {
      script.emit();
      job.checkpoint();
      job.awaitRestarted(1);
      awaitTold(hook, 2);
      script.emit();
      job.checkpoint();
      table.awaitCommits(2);
      awaitTold(hook, 3);
    }
    assertExact();
    List<String> ids = commitIds();
    assertThat(hook.after()).containsExactly(ids.get(0), ids.get(0), ids.get(1));
    assertThat(hook.before()).containsExactlyElementsOf(ids);
  }

  @Test
  void aCommitWhoseAnswerWasLostIsToldAfterTheRestart() throws Exception {
    HookLog hook = new HookLog();
    table.faults().crashAfter(Faults.Kind.DATA);
    try (RunningJob job = submit(hook)) {
      script.emit();
      job.checkpoint();
      job.awaitRestarted(1);
      awaitTold(hook, 1);
      script.emit();
      job.checkpoint();
      awaitTold(hook, 2);
    }
    assertExact();
    assertThat(hook.after()).containsExactlyElementsOf(commitIds());
  }

  @Test
  void lateRowsAreToldWithTheWatermarkThatTheyMissedAlsoAfterACrash() throws Exception {
    List<RowData> late = new ArrayList<>(Events.rows(120, 160));
    late.add(Events.row(160, Events.timeOf(30)));
    Script<RowData> withLateRow = Script.of(Events.rows(60, 100), late);
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    LateLog listener = new LateLog();
    Events.sink(env, withLateRow, table)
        .finalization(Events.finalization().policy(FinalizationPolicy.quantile(0.5)).build())
        .onLateRecords(listener)
        .append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      withLateRow.emit();
      job.checkpoint();
      table.awaitCommits(1);
      table.faults().crashAfter(Faults.Kind.DATA);
      withLateRow.emit();
      job.checkpoint();
      job.awaitRestarted(1);
      await().atMost(PATIENCE).until(() -> !listener.reports().isEmpty());
    }
    // The commit itself moved the watermark to 10:00; its row of 08:30 was behind 09:00.
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T10:00:00Z");
    assertThat(listener.reports())
        .containsExactly(
            new LateDataReport(
                Events.timeOf(60).toEpochMilli(),
                GranuleCounts.of(new TreeMap<>(Map.of(Events.START.toEpochMilli(), 1L))),
                LateDataReport.Cause.STREAM));
  }

  private RunningJob submit(HookLog hook) throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table).processor(hook).append();
    return TestCluster.shared().submit(env);
  }

  private void commitBothSteps(RunningJob job) throws Exception {
    script.emit();
    job.checkpoint();
    table.awaitCommits(1);
    script.emit();
    job.checkpoint();
    table.awaitCommits(2);
    await()
        .atMost(PATIENCE)
        .until(
            () -> table.properties().get(FinalizationProperties.WATERMARK),
            "2026-01-01T09:00:00Z"::equals);
  }

  /** Hooks are told after a commit is there to be seen. */
  private static void awaitTold(HookLog hook, int times) {
    await().atMost(PATIENCE).until(() -> hook.after().size() == times);
  }

  private List<String> commitIds() {
    return table.commits().stream()
        .map(commit -> commit.summary().get(FinalizationProperties.COMMIT_ID))
        .toList();
  }

  private void assertExact() {
    assertThat(table.ids()).isEqualTo(Events.ids(0, 120));
    assertThat(table.commits())
        .extracting(commit -> commit.summary().get("finalization.event-time.count"))
        .containsExactly("60", "60");
    assertThat(table.commits()).allMatch(c -> c.summary().containsKey(HookLog.PROPERTY));
  }
}
