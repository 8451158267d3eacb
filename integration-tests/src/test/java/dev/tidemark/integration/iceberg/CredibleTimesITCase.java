package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.integration.ScriptedRows;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Snapshot;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One row of tomorrow, or of 1970, among honest ones: written, counted apart, and of no influence.
 */
class CredibleTimesITCase {
  private static final Instant HOUR =
      Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofHours(3));

  @TempDir Path directory;

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "min, PT24H, 0",
    "quantile:0.01, PT24H, 0",
    "bounded-lateness:PT10M, PT24H, -1",
    "min, PT-490000H, 0",
    "quantile:0.01, PT-490000H, 0",
    "bounded-lateness:PT10M, PT-490000H, -1"
  })
  void aRowOfAnIncredibleTimeMovesNothing(String policy, Duration offset, int hours)
      throws Exception {
    TestTable table = TestTable.create(directory);
    Instant incredible = Instant.now().plus(offset).truncatedTo(ChronoUnit.MILLIS);
    List<RowData> second = new ArrayList<>(rows(2, 3));
    second.add(Events.row(99, incredible));
    Script<RowData> script = Script.of(rows(0, 2), second, rows(3, 13), rows(65, 75));
    List<Snapshot> commits = run(script, table, policy);

    assertThat(table.ids()).hasSize(24);
    assertThat(commits).noneMatch(c -> c.summary().containsKey(FinalizationProperties.LATE));
    Map<String, String> facts = commits.get(1).summary();
    assertThat(facts)
        .containsEntry("finalization.event-time.count", "1")
        .containsEntry("finalization.event-time.invalid-count", "1")
        .containsEntry("finalization.event-time.invalid-min-ms", incredible.toEpochMilli() + "")
        .containsEntry("finalization.event-time.invalid-max-ms", incredible.toEpochMilli() + "");
    Instant expected = HOUR.plus(Duration.ofHours(hours));
    assertThat(commits)
        .extracting(c -> c.summary().get(FinalizationProperties.WATERMARK))
        .containsExactly(null, null, expected.toString(), expected.toString());
  }

  private static List<Snapshot> run(Script<RowData> script, TestTable table, String policy)
      throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    TidemarkIcebergSink.forRowData(ScriptedRows.unbounded(env, script, EmbeddedCatalog.EVENTS))
        .tableLoader(table.loader())
        .eventTime(EventTimeColumn.timestamp("event_time"))
        .finalization(
            Events.finalization()
                .policy(FinalizationPolicy.parse(policy))
                .lookback(3, Duration.ZERO)
                .build())
        .append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      for (int step = 1; step <= 4; step++) {
        script.emit();
        job.checkpoint();
        table.awaitCommits(step);
      }
    }
    return table.commits();
  }

  /** Rows whose ids are their minutes after the hour. */
  private static List<RowData> rows(long from, long to) {
    return LongStream.range(from, to)
        .mapToObj(minute -> Events.row(minute, HOUR.plus(Duration.ofMinutes(minute))))
        .toList();
  }
}
