package dev.tidemark.integration.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.integration.ScriptedRows;
import dev.tidemark.pinot.commit.PinotTableHandle;
import dev.tidemark.pinot.flink.PinotSink;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import dev.tidemark.pinot.row.RowDataGenericRowConverter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where segments lie between their build and their commit, on a real Pinot. */
class StagingITCase {
  private static final Schema ROWS =
      new Schema(
          Types.NestedField.required(1, "id", Types.IntegerType.get()),
          Types.NestedField.required(2, "v", Types.IntegerType.get()));

  @TempDir Path directory;

  @Test
  void aStagingFileSystemThatFailsRestartsTheJobAndEveryRowCountsOnce() throws Exception {
    Tables.Created table = Tables.offline();
    Script<RowData> script = Script.of(rows(0, 10), rows(10, 20));
    try (RunningJob job =
        submit(script, sink(table).staging(FaultyFileSystem.of(directory)).segmentRows(3))) {
      script.emit();
      job.checkpoint();
      awaitCount(table, 10);
      FaultyFileSystem.failNext(1);
      script.emit();
      checkpointIfItCan(job);
      job.awaitRestarted(1);
      assertThat(FaultyFileSystem.faultsLeft()).isZero();
      script.awaitEmitted();
      job.checkpoint();
      awaitCount(table, 20);
    }
    assertThat(table.number("SELECT SUM(id)")).isEqualTo(19 * 20 / 2);
  }

  @Test
  void stagedFilesAreRemovedWhenTheirCommitIsSeenAndNoSooner() throws Exception {
    Tables.Created table = Tables.offline();
    Script<RowData> script = Script.of(rows(0, 12));
    PinotSinkBuilder<RowData> sink =
        sink(table).segmentRows(3).processor(new Looks(table.name(), directory.toString()));
    try (RunningJob job = submit(script, sink)) {
      script.emit();
      awaitTars(tars -> tars >= 2);
      assertThat(table.number("SELECT COUNT(*)")).isZero();
      job.checkpoint();
      awaitCount(table, 12);
      awaitTars(tars -> tars == 0);
    }
    assertThat(Looks.SEEN.get(table.name()))
        .as("tars of 12 rows in segments of 3 while a hook refused the commit, each time")
        .containsExactly(4L, 4L, 4L);
  }

  /** The writer learns at the next full buffer, or at the next checkpoint, that a build failed. */
  private static void checkpointIfItCan(RunningJob job) {
    try {
      job.checkpoint();
    } catch (Exception failedWithTheWriter) {
      assertThat(failedWithTheWriter).isNotInstanceOf(InterruptedException.class);
    }
  }

  private PinotSinkBuilder<RowData> sink(Tables.Created table) throws Exception {
    return PinotSink.builder(
            new RowDataGenericRowConverter(FlinkSchemaUtil.convert(ROWS)),
            table.config(),
            table.schema())
        .controller(Tables.pinot().controllerUrl())
        .staging(directory.toUri().toString())
        .commitEveryCheckpoints(1);
  }

  private static RunningJob submit(Script<RowData> script, PinotSinkBuilder<RowData> sink)
      throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    ScriptedRows.unbounded(env, script, ROWS).sinkTo(sink.build()).uid("pinot");
    return TestCluster.shared().submit(env);
  }

  private static List<RowData> rows(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(id -> (RowData) GenericRowData.of(id, id * 10))
        .toList();
  }

  private static void awaitCount(Tables.Created table, long count) {
    Tables.patiently()
        .untilAsserted(() -> assertThat(table.number("SELECT COUNT(*)")).isEqualTo(count));
  }

  /** Looks again where a directory went away under the look. */
  private void awaitTars(LongPredicate right) {
    Tables.patiently()
        .ignoreExceptionsInstanceOf(IOException.class)
        .ignoreExceptionsInstanceOf(UncheckedIOException.class)
        .until(() -> right.test(tars(directory)));
  }

  private static long tars(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".tar.zst")).count();
    }
  }

  /** Counts the staged tars before a commit, and refuses it the first two times. */
  private static final class Looks implements CommitProcessor<PinotTableHandle> {
    private static final long serialVersionUID = 1L;
    private static final Map<String, List<Long>> SEEN = new ConcurrentHashMap<>();

    private final String table;
    private final String directory;

    Looks(String table, String directory) {
      this.table = table;
      this.directory = directory;
    }

    @Override
    public void preCommit(CommitContext<PinotTableHandle> context) throws CommitAbortedException {
      long tars;
      try {
        tars = tars(Path.of(directory));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      List<Long> seen =
          SEEN.merge(
              table, List.of(tars), (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
      if (seen.size() < 3) {
        throw new CommitAbortedException("not yet");
      }
    }
  }
}
