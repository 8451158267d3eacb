package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.testing.TestingClock;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.commit.PublishResult;
import dev.tidemark.pinot.commit.SegmentPublisher;
import dev.tidemark.pinot.commit.TieRule;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.pinot.row.Tombstones;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.SegmentTable;
import dev.tidemark.pinot.segment.TarCompression;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers without a cluster: what one leaves to the next, and what is closed if a start fails. */
class BackfillWriterTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Run RUN = new Run("r", START.toEpochMilli(), 0);
  private static final TaskInfo TASK = new TaskInfoImpl("sink", 4, 0, 1, 0);

  @TempDir Path directory;

  @Test
  void aLaterBufferIsLaterThoughTheNextWritersClockIsBehind() throws Exception {
    List<WriterState> kept;
    long earlier;
    try (BackfillWriter<Integer> writer = writer(START.plus(Duration.ofHours(1)))) {
      writer.write(1);
      earlier = writer.closeAll(false).segments().get(0).creationTimeMillis();
      kept = writer.snapshot(RUN);
    }
    assertThat(kept).hasSize(4).allMatch(state -> state.content() == null);
    try (BackfillWriter<Integer> writer = writer(START)) {
      // One of the entries, as after a change of parallelism.
      writer.restore(kept.subList(3, 4));
      writer.write(1);
      assertThat(writer.closeAll(false).segments().get(0).creationTimeMillis())
          .isGreaterThan(earlier);
    }
  }

  @Test
  void aRefusedTableLeavesNothingOpen() {
    AtomicInteger open = new AtomicInteger();
    SubtaskSink<Integer> sink =
        new SubtaskSink<>(plan(), () -> new Refusing(open), 5, new Submission(RUN, 0));
    SubtaskSink.Place place =
        new SubtaskSink.Place(
            TASK, UnregisteredMetricsGroup.createOperatorMetricGroup(), OptionalLong.empty());
    assertThatThrownBy(() -> sink.subtask(place, List.of(), List.of()))
        .isInstanceOf(SuppressRestartsException.class)
        .hasStackTraceContaining("refused, for a test");
    assertThat(open).hasValue(0);
  }

  @Test
  void aSubtaskKeepsItsOwnRestorePointOnly() {
    KeptParts kept = new KeptParts(List.of(new Run("r-s0", 0, 3, 7L), new Run("r-s1", 0, 3)));
    assertThat(kept.jobRun(0)).isEqualTo(new Run("r", 0, 3, 7L));
    assertThat(kept.jobRun(1)).isEqualTo(new Run("r", 0, 3));
    assertThat(kept.earliestOfOthers(0)).isEmpty();
    assertThat(kept.earliestOfOthers(1)).hasValue(7);
    assertThat(new KeptParts(List.of()).jobRun(0)).isNull();
  }

  private BackfillWriter<Integer> writer(Instant now) throws Exception {
    Clock clock = new TestingClock(now);
    return new BackfillWriter<>(
        plan(),
        new WriterContext(
            RUN,
            TASK,
            clock,
            WriterMetrics.of(UnregisteredMetricsGroup.createOperatorMetricGroup())));
  }

  private WriterPlan<Integer> plan() {
    SegmentTable table =
        SegmentTable.of(
            new TableConfigBuilder(TableType.OFFLINE).setTableName("a").build(),
            new Schema.SchemaBuilder()
                .setSchemaName("a")
                .addSingleValueDimension("id", FieldSpec.DataType.INT)
                .build());
    return new WriterPlan<>(
        new RowIntake<>(
            new IdRow(), Tombstones.of(table), RowRoute.unpartitioned(), RowRule.none(), null),
        new SegmentPlan(
            table,
            new Thresholds(100, 1 << 20, 1 << 20, Duration.ofHours(1)),
            1,
            directory.toUri().toString(),
            new SegmentPlan.Form(
                new SegmentNaming(table, null, TieRule.STREAM_WINS), TarCompression.ZSTD)),
        new Accumulators<>(List.of()));
  }

  private static final class IdRow implements PinotGenericRowConverter<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public GenericRow convertToRow(Integer id) {
      GenericRow row = new GenericRow();
      row.putValue("id", id);
      return row;
    }

    @Override
    public Integer convertFromRow(GenericRow row) {
      return (Integer) row.getValue("id");
    }
  }

  private static final class Refusing implements SegmentPublisher {
    private final AtomicInteger open;

    Refusing(AtomicInteger open) {
      this.open = open;
      open.incrementAndGet();
    }

    @Override
    public void start() {
      throw new IllegalArgumentException("refused, for a test");
    }

    @Override
    public PublishResult publish(PinotCommit commit) {
      throw new AssertionError("not started");
    }

    @Override
    public void close() {
      open.decrementAndGet();
    }
  }
}
