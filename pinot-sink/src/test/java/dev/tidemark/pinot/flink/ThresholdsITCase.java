package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.flink.testing.TestMetrics;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import dev.tidemark.pinot.segment.StagedSegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a buffer becomes a segment before its commit, and what the metrics say of it. */
class ThresholdsITCase {
  private static final MemorySize SMALL = MemorySize.parse("16kb");
  private static final int LOOKED_AT_EVERY = 64;
  private static final int ROWS = 4_000;

  @TempDir Path directory;

  private final MemoryTable table = MemoryTable.create();

  @AfterEach
  void noRuleWasBroken() {
    assertThat(table.violations()).isEmpty();
  }

  @Test
  void aBufferThatTakesTooMuchHeapBecomesASegment() throws Exception {
    assertThat(segments(Orders.sink(table, directory))).containsExactly((long) ROWS);
    List<Long> rows = segments(Orders.sink(table, directory).segmentSize(SMALL));
    assertThat(rows).hasSizeGreaterThan(2);
    assertThat(rows.stream().mapToLong(Long::longValue).sum()).isEqualTo(ROWS);
    assertThat(rows.stream().filter(size -> size % LOOKED_AT_EVERY != 0).count())
        .as("the last one alone was closed by the commit")
        .isLessThanOrEqualTo(1);
  }

  @Test
  void theLargestBufferBecomesASegmentWhereAllTogetherTakeTooMuchHeap() throws Exception {
    MemorySize one = MemorySize.parse("128kb");
    assertThat(segments(Orders.upsertSink(table, directory).segmentSize(one)))
        .as("one segment of each partition")
        .hasSize(4);
    assertThat(segments(Orders.upsertSink(table, directory).segmentSize(one).writerMemory(one)))
        .hasSizeGreaterThan(4);
    List<StagedSegment> all = table.segments();
    assertThat(all.stream().mapToLong(StagedSegment::rows).sum()).isEqualTo(2 * ROWS);
  }

  @Test
  void aBufferThatIsOldBecomesASegmentWithACheckpointThatIsNoCommit() throws Exception {
    assertThat(segmentsOfThreeCheckpoints(Duration.ofHours(1))).containsExactly(12L);
    assertThat(segmentsOfThreeCheckpoints(Duration.ofNanos(1))).containsExactly(4L, 4L, 4L);
  }

  @Test
  void metricsTellRowsSegmentsAndDeadLetters() throws Exception {
    List<Integer> ids = new ArrayList<>(Orders.ids(0, 25));
    ids.add(-1);
    ids.add(-2);
    Script<Integer> script = Script.of(ids);
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    Orders.unbounded(env, script)
        .sinkTo(Orders.sink(table, directory).segmentRows(11).deadLetters(letter -> {}).build());
    RunningJob job = TestCluster.shared().submit(env);
    try (job) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(TestMetrics.counter(job, "numRecordsSend")).isEqualTo(25);
    assertThat(TestMetrics.counter(job, "numRecordsSendErrors")).isEqualTo(2);
    assertThat(TestMetrics.counter(job, "numBytesSend"))
        .isEqualTo(table.segments().stream().mapToLong(s -> s.files().tarBytes()).sum());
    assertThat(TestMetrics.counter(job, "pinot.segments")).isEqualTo(3);
    assertThat(TestMetrics.counter(job, "pinot.smallSegments")).as("fewer than 1.1 rows").isZero();
    assertThat(TestMetrics.counter(job, "pinot.deadLetters")).isEqualTo(2);
    assertThat(TestMetrics.counter(job, "pinot.filteredRecords")).isZero();
    assertThat(TestMetrics.counter(job, "pinot.commits")).isEqualTo(1);
    assertThat(TestMetrics.counter(job, "pinot.refusedCommits")).isZero();
    assertThat(TestMetrics.gauge(job, "pinot.openBuffers")).isZero();
    assertThat(TestMetrics.gauge(job, "pinot.segmentsWaiting")).isZero();
    assertThat(TestMetrics.gauge(job, "pinot.buildsInFlight")).isZero();
  }

  @Test
  void metricsTellSmallSegments() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 4));
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    Orders.unbounded(env, script).sinkTo(Orders.sink(table, directory).segmentRows(100).build());
    RunningJob job = TestCluster.shared().submit(env);
    try (job) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
    }
    assertThat(TestMetrics.counter(job, "pinot.smallSegments")).isEqualTo(1);
  }

  /** The rows of each segment of one job of one writer, in the order of their names. */
  private List<Long> segments(PinotSinkBuilder<Integer> sink) throws Exception {
    List<String> before = table.segments().stream().map(StagedSegment::name).toList();
    Script<Integer> script = Script.of(Orders.ids(0, ROWS)).releaseAll();
    StreamExecutionEnvironment env = TestCluster.shared().environmentWithoutCheckpoints(1);
    Orders.bounded(env, script).sinkTo(sink.build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    return table.segments().stream()
        .filter(segment -> !before.contains(segment.name()))
        .map(StagedSegment::rows)
        .map(Long::valueOf)
        .toList();
  }

  /** The rows of the segments of a commit at the third checkpoint, four rows before each. */
  private List<Long> segmentsOfThreeCheckpoints(Duration age) throws Exception {
    MemoryTable own = MemoryTable.create();
    Script<Integer> script = Script.of(Orders.ids(0, 4), Orders.ids(4, 8), Orders.ids(8, 12));
    StreamExecutionEnvironment env = TestCluster.shared().environment(1);
    Orders.unbounded(env, script)
        .sinkTo(Orders.sink(own, directory).segmentAge(age).commitEveryCheckpoints(3).build());
    try (RunningJob job = TestCluster.shared().submit(env)) {
      for (int step = 0; step < 3; step++) {
        assertThat(own.commitsWithRows()).isEmpty();
        script.emit();
        job.checkpoint();
      }
      own.awaitCommits(1);
    }
    assertThat(own.values("id")).isEqualTo(Orders.ids(0, 12));
    return own.segments().stream().map(StagedSegment::rows).map(Long::valueOf).toList();
  }
}
