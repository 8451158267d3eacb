package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.integration.ScriptedRows;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Savepoints move between the stock sink and this one, both ways, with a commit that is still to be
 * made in them, and with another parallelism.
 */
class SavepointITCase {
  private static final int ROWS_OF_A_HOP = 40;

  @TempDir Path directory;

  /** Which sink a job has. */
  private enum SinkKind {
    STOCK,
    OURS
  }

  private record Hop(SinkKind sink, int parallelism) {}

  @Test
  void stockToOursAndBackKeepsEveryRowOnce() throws Exception {
    TestTable table =
        hop(
            new Hop(SinkKind.STOCK, 1),
            new Hop(SinkKind.OURS, 2),
            new Hop(SinkKind.STOCK, 1),
            new Hop(SinkKind.OURS, 1));
    assertThat(table.commits().get(0).summary())
        .doesNotContainKey(FinalizationProperties.COMMIT_ID);
    // Four commits are of the stock sink or of its rows; they have no facts.
    assertThat(table.commits()).hasSize(8);
    assertThat(facts(table)).containsExactly("20", "20", "20");
  }

  @Test
  void oursToStockAndBackKeepsEveryRowOnce() throws Exception {
    TestTable table =
        hop(new Hop(SinkKind.OURS, 2), new Hop(SinkKind.STOCK, 1), new Hop(SinkKind.OURS, 2));
    assertThat(table.commits()).hasSize(6);
    assertThat(facts(table)).containsExactly("20", "20", "20");
    assertThat(table.finality().opinion().watermarkMillis())
        .isEqualTo(Events.START.toEpochMilli() + 3_600_000);
  }

  @Test
  void oursToOursKeepsEveryRowAndFactOnceAcrossRescales() throws Exception {
    TestTable table =
        hop(
            new Hop(SinkKind.OURS, 1),
            new Hop(SinkKind.OURS, 2),
            new Hop(SinkKind.OURS, 1),
            new Hop(SinkKind.OURS, 3));
    assertThat(facts(table)).hasSize(8).containsOnly("20");
  }

  /**
   * A job for each hop, started from the savepoint of the one before. Each commits 20 rows, takes
   * in 20 more and leaves them in its savepoint; the last one commits all.
   */
  private TestTable hop(Hop... hops) throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = Script.of();
    String savepoint = null;
    for (int i = 0; i < hops.length; i++) {
      long first = (long) i * ROWS_OF_A_HOP;
      script.add(Events.rows(first, first + 20)).add(Events.rows(first + 20, first + 40));
      boolean last = i == hops.length - 1;
      savepoint = run(hops[i], table, script, savepoint, last);
      assertThat(table.ids()).isEqualTo(Events.ids(0, last ? first + 40 : first + 20));
    }
    return table;
  }

  private String run(
      Hop hop, TestTable table, Script<RowData> script, String savepoint, boolean last)
      throws Exception {
    int before = table.commits().size();
    StreamExecutionEnvironment env =
        TestCluster.withoutRestarts(TestCluster.shared().environment(hop.parallelism()));
    append(hop.sink(), env, table, script);
    TestCluster cluster = TestCluster.shared();
    try (RunningJob job =
        savepoint == null ? cluster.submit(env) : cluster.submit(env, savepoint)) {
      job.awaitRunning();
      table.awaitCommits(savepoint == null ? 0 : before + 1);
      script.emit();
      job.checkpoint();
      table.awaitCommits(savepoint == null ? 1 : before + 2);
      script.emit();
      return last ? job.stopWithSavepoint() : leavePending(hop, table, job);
    }
  }

  /** By a savepoint beside the job, or by a commit that fails while the job stops. */
  private String leavePending(Hop hop, TestTable table, RunningJob job) throws Exception {
    if (hop.sink() == SinkKind.STOCK) {
      String savepoint = job.savepoint();
      job.cancel();
      return savepoint;
    }
    table.faults().crashBefore(Faults.Kind.DATA);
    return job.failStoppingWithSavepoint();
  }

  private static void append(
      SinkKind kind, StreamExecutionEnvironment env, TestTable table, Script<RowData> script) {
    if (kind == SinkKind.OURS) {
      Events.sink(env, script, table).append();
    } else {
      IcebergSink.forRowData(ScriptedRows.unbounded(env, script, EmbeddedCatalog.EVENTS))
          .tableLoader(table.loader())
          .uidSuffix("events")
          .append();
    }
  }

  /** The counts of the commits that carry facts of rows. */
  private static List<String> facts(TestTable table) {
    return table.commits().stream()
        .map(Snapshot::summary)
        .map(summary -> summary.get(EventTimeProperties.PREFIX + "count"))
        .filter(count -> count != null && !count.equals("0"))
        .toList();
  }
}
