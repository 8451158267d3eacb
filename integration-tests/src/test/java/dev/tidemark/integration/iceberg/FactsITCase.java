package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.accumulator.LongRangeAccumulatorFactory;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import dev.tidemark.integration.ScriptedRows;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.sink.SinkUtil;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a commit says of itself is what anybody would count in its rows. */
class FactsITCase {
  private static final int STEPS = 5;
  private static final int ROWS = 200;

  @TempDir Path directory;

  @Test
  void factsOfEveryCommitAreThoseOfItsRows() throws Exception {
    TestTable table = TestTable.create(directory);
    Script<RowData> script = randomScript(Long.getLong("tidemark.test.seed", System.nanoTime()));
    StreamExecutionEnvironment env = TestCluster.shared().environment(2);
    Events.sink(env, script, table)
        .accumulator(
            new LongRangeAccumulatorFactory<>(
                "amount", row -> row.isNullAt(2) ? null : (long) row.getInt(2)))
        .processor(new HookLog())
        .append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      for (int step = 0; step < STEPS; step++) {
        script.emit();
        job.checkpoint();
        table.awaitCommits(step + 1);
      }
    }
    assertThat(table.ids()).isEqualTo(Events.ids(0, STEPS * ROWS));
    Set<Long> seen = new HashSet<>();
    Map<String, String> base = Map.of();
    for (Snapshot commit : table.commits()) {
      List<Record> rows = table.records(commit);
      rows.removeIf(row -> !seen.add((Long) row.getField("id")));
      assertThat(rows).hasSize(ROWS);
      assertFacts(commit.summary(), rows, base);
      base = commit.summary();
    }
    // The last step has rows of hours that were final: the comparison above was not empty.
    assertThat(FinalizationProperties.readLate(base).total()).isPositive();
  }

  @Test
  void aRowThatFailedToBeWrittenLeavesNoFact() throws Exception {
    Schema schema =
        new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "event_time", Types.TimestampType.withZone()),
            Types.NestedField.optional(3, "amount", Types.IntegerType.get()));
    TestTable table = TestTable.create(directory, schema, PartitionSpec.unpartitioned(), Map.of());
    Script<RowData> script = Script.of(Events.rows(0, 40));
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    DataStream<RowData> rows =
        ScriptedRows.unbounded(env, script, schema)
            .map(FactsITCase::spoiledOnce)
            .returns(InternalTypeInfo.of(FlinkSchemaUtil.convert(schema)));
    TidemarkIcebergSink.forRowData(rows)
        .tableLoader(table.loader())
        .eventTime(EventTimeColumn.timestamp("event_time"))
        .finalization(Events.finalization().build())
        .append();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(SPOILED).hasValue(1);
    assertThat(table.ids()).isEqualTo(Events.ids(0, 40));
    assertThat(table.commits().get(0).summary())
        .containsEntry("finalization.event-time.count", "40")
        .containsEntry("finalization.event-time.min-ms", Events.START.toEpochMilli() + "");
  }

  private static final AtomicInteger SPOILED = new AtomicInteger();

  /** Row 20 comes without its id, and with a time of the day before, when it comes first. */
  private static RowData spoiledOnce(RowData row) {
    if (row.getLong(0) == 20 && SPOILED.compareAndSet(0, 1)) {
      Instant dayBefore = Events.START.minus(Duration.ofDays(1));
      return GenericRowData.of(null, TimestampData.fromInstant(dayBefore), 0);
    }
    return row;
  }

  /** Steps an hour apart, with nulls; the last reaches six hours back. */
  private static Script<RowData> randomScript(long seed) {
    System.out.println("FactsITCase: -Dtidemark.test.seed=" + seed);
    Random random = new Random(seed);
    Script<RowData> script = Script.of();
    for (int step = 0; step < STEPS; step++) {
      List<RowData> rows = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        int hoursBack = step == STEPS - 1 && i % 10 == 0 ? 6 : 1;
        Instant time =
            Events.START
                .plus(Duration.ofHours(step))
                .minusMillis(random.nextInt(hoursBack * 3_600_000));
        rows.add(
            GenericRowData.of(
                (long) step * ROWS + i,
                random.nextInt(20) == 0 ? null : TimestampData.fromInstant(time),
                random.nextInt(10) == 0 ? null : random.nextInt()));
      }
      script.add(rows);
    }
    return script;
  }

  private static void assertFacts(
      Map<String, String> summary, List<Record> rows, Map<String, String> base) {
    List<Long> times =
        rows.stream()
            .map(row -> (OffsetDateTime) row.getField("event_time"))
            .filter(Objects::nonNull)
            .map(time -> time.toInstant().toEpochMilli())
            .toList();
    LongSummaryStatistics range = times.stream().mapToLong(Long::longValue).summaryStatistics();
    LongSummaryStatistics amounts =
        rows.stream()
            .map(row -> (Integer) row.getField("amount"))
            .filter(Objects::nonNull)
            .mapToLong(Integer::longValue)
            .summaryStatistics();
    assertThat(summary)
        .containsEntry("finalization.event-time.count", range.getCount() + "")
        .containsEntry("finalization.event-time.null-count", ROWS - range.getCount() + "")
        .containsEntry("finalization.event-time.min-ms", range.getMin() + "")
        .containsEntry("finalization.event-time.max-ms", range.getMax() + "")
        .containsEntry("tidemark.range.amount.count", amounts.getCount() + "")
        .containsEntry("tidemark.range.amount.null-count", ROWS - amounts.getCount() + "")
        .containsEntry("tidemark.range.amount.min", amounts.getMin() + "")
        .containsEntry("tidemark.range.amount.max", amounts.getMax() + "")
        .containsEntry(HookLog.PROPERTY, summary.get(SinkUtil.MAX_COMMITTED_CHECKPOINT_ID));
    assertThat(FinalizationProperties.readLate(summary).granules().asMap())
        .isEqualTo(late(times, base));
  }

  /** Rows per hour before the watermark that stood when the commit was made. */
  private static SortedMap<Long, Long> late(List<Long> times, Map<String, String> base) {
    SortedMap<Long, Long> late = new TreeMap<>();
    Long watermark = FinalizationProperties.number(base, FinalizationProperties.WATERMARK_MS);
    for (long time : times) {
      if (watermark != null && time < watermark) {
        long hour = Instant.ofEpochMilli(time).truncatedTo(ChronoUnit.HOURS).toEpochMilli();
        late.merge(hour, 1L, Long::sum);
      }
    }
    return late;
  }
}
