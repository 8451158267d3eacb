package dev.tidemark.pinot.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import dev.tidemark.pinot.flink.testing.MemoryTable.Fault;
import dev.tidemark.pinot.segment.StagedSegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Savepoints: another parallelism, and back to an older one. */
class SavepointITCase {
  @TempDir Path directory;

  private final MemoryTable table = MemoryTable.create();

  @AfterEach
  void noRuleWasBroken() {
    assertThat(table.violations()).isEmpty();
    assertThat(table.faultsLeft()).isZero();
  }

  @Test
  void rescalesUpAndDownWithRowsInTheState() throws Exception {
    assertThat(hops(1, 3, 2, 4, 1)).isEqualTo(Orders.ids(0, 200));
    assertThat(table.commits().stream().map(commit -> commit.run().id()).distinct()).hasSize(1);
    assertThat(table.commits().stream().map(commit -> commit.run().startMillis()).distinct())
        .hasSize(1);
  }

  /**
   * A job of each parallelism, started from the savepoint of the one before; each commits the rows
   * it was left, takes in 20, and leaves 20 more in its savepoint.
   */
  private List<Integer> hops(int... parallelisms) throws Exception {
    Script<Integer> script = Script.of();
    String savepoint = null;
    for (int i = 0; i < parallelisms.length; i++) {
      int first = i * 40;
      script.add(Orders.ids(first, first + 20)).add(Orders.ids(first + 20, first + 40));
      try (RunningJob job = start(script, parallelisms[i], savepoint, sink())) {
        script.emit();
        job.checkpoint();
        awaitRows(first + 20);
        script.emit();
        savepoint = job.savepoint();
      }
    }
    try (RunningJob job = start(script, 2, savepoint, sink())) {
      job.checkpoint();
      awaitRows(parallelisms.length * 40);
    }
    return table.values("id");
  }

  @Test
  void aCommitThatASavepointHoldsIsMadeAfterTheRestore() throws Exception {
    table.next(Fault.CRASH_BEFORE);
    Script<Integer> script = Script.of(Orders.ids(0, 10));
    String savepoint;
    StreamExecutionEnvironment env =
        TestCluster.withoutRestarts(TestCluster.shared().environment(2));
    Orders.unbounded(env, script).sinkTo(sink().build()).uid("pinot");
    try (RunningJob job = TestCluster.shared().submit(env)) {
      script.emit();
      savepoint = job.failStoppingWithSavepoint();
    }
    assertThat(table.commits()).isEmpty();
    try (RunningJob job = start(script, 3, savepoint, sink())) {
      job.awaitRunning();
      table.awaitCommits(1);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 10));
  }

  @Test
  void aRewindToAnOlderSavepointReusesNoName() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 10), Orders.ids(10, 20), Orders.ids(20, 30));
    String savepoint;
    try (RunningJob job = start(script, 2, null, sink())) {
      script.emit();
      job.checkpoint();
      awaitRows(10);
      script.emit();
      savepoint = job.savepoint();
      script.emit();
      job.checkpoint();
      awaitRows(30);
    }
    for (int rewind = 1; rewind <= 2; rewind++) {
      int before = table.commitsWithRows().size();
      awaitAnotherEpoch();
      try (RunningJob job = start(script, 2, savepoint, sink())) {
        job.awaitRunning();
        script.awaitEmitted();
        job.checkpoint();
        table.awaitCommits(before + 1);
      }
      assertThat(table.values("id")).isEqualTo(Orders.ids(0, 30));
    }
    List<Integer> epochs =
        table.commitsWithRows().stream().map(commit -> commit.run().restoreEpoch()).toList();
    assertThat(epochs).hasSizeGreaterThanOrEqualTo(4).isSorted().startsWith(0, 0);
    assertThat(epochs.subList(2, epochs.size())).doesNotHaveDuplicates();
    assertThat(table.commitsWithRows().stream().map(PinotCommit::id)).doesNotHaveDuplicates();
  }

  @Test
  void aFailureBeforeTheFirstCommitAfterARewindDoublesNothing() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 10), Orders.ids(10, 20), Orders.ids(20, 30));
    String savepoint;
    try (RunningJob job = start(script, 2, null, sink())) {
      script.emit();
      savepoint = job.savepoint();
      script.emit();
      job.checkpoint();
      awaitRows(20);
    }
    // The savepoint was checkpoint 1; the life after it commits at the fourth for the first time.
    try (RunningJob job = start(script, 2, savepoint, sink().commitEveryCheckpoints(4))) {
      job.awaitRunning();
      script.awaitEmitted();
      job.checkpoint();
      job.checkpoint();
      script.failOnceAt(7).release();
      job.awaitRestarted(1);
      script.awaitEmitted();
      job.checkpoint();
      awaitRows(30);
    }
    assertThat(table.values("id")).isEqualTo(Orders.ids(0, 30));
  }

  @Test
  void partitionsKeepTheirRowsWhateverTheParallelism() throws Exception {
    Script<Integer> script = Script.of(Orders.ids(0, 40), Orders.ids(40, 80), Orders.ids(80, 120));
    String savepoint;
    try (RunningJob job = start(script, 4, null, upsertSink())) {
      script.emit();
      savepoint = job.savepoint();
    }
    try (RunningJob job = start(script, 3, savepoint, upsertSink())) {
      script.emit();
      savepoint = job.savepoint();
    }
    try (RunningJob job = start(script, 2, savepoint, upsertSink())) {
      script.emit();
      job.checkpoint();
      table.awaitCommits(1);
    }
    PinotPartitioning murmur = PinotPartitioning.kafka(4, KeySerializer.string(), "id");
    Map<Integer, List<StagedSegment>> byPartition =
        table.segments().stream()
            .collect(
                Collectors.groupingBy(StagedSegment::partition, TreeMap::new, Collectors.toList()));
    assertThat(byPartition.keySet()).containsExactly(0, 1, 2, 3);
    for (StagedSegment segment : table.segments()) {
      assertThat(segment.name()).contains("__u__" + segment.partition() + "__");
      assertThat(table.rows(segment.name()))
          .extracting(row -> murmur.partition(List.of(row.getValue("id"))))
          .containsOnly(Objects.requireNonNull(segment.partition()));
    }
    assertThat(table.values("v")).hasSize(120).doesNotHaveDuplicates();
    byPartition.values().forEach(SavepointITCase::assertDistinctCreationTimes);
  }

  private static void assertDistinctCreationTimes(List<StagedSegment> segments) {
    assertThat(segments.stream().map(StagedSegment::creationTimeMillis)).doesNotHaveDuplicates();
  }

  private PinotSinkBuilder<Integer> sink() {
    return Orders.sink(table, directory).commitEveryCheckpoints(1).segmentRows(7);
  }

  private PinotSinkBuilder<Integer> upsertSink() {
    // The only commit is that of the third job: savepoints 1 and 2, checkpoint 3.
    return Orders.upsertSink(table, directory).commitEveryCheckpoints(3);
  }

  /** Two rewinds to one savepoint are told apart by the tenth of a second that they begin in. */
  private static void awaitAnotherEpoch() {
    long since = System.currentTimeMillis();
    await()
        .pollInterval(Duration.ofMillis(10))
        .until(() -> System.currentTimeMillis() >= since + 100);
  }

  private void awaitRows(int rows) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> table.values("id").size() >= rows);
  }

  private static RunningJob start(
      Script<Integer> script,
      int parallelism,
      @Nullable String savepoint,
      PinotSinkBuilder<Integer> sink)
      throws Exception {
    StreamExecutionEnvironment env = TestCluster.shared().environment(parallelism);
    Orders.unbounded(env, script).sinkTo(sink.build()).uid("pinot");
    return savepoint == null
        ? TestCluster.shared().submit(env)
        : TestCluster.shared().submit(env, savepoint);
  }
}
