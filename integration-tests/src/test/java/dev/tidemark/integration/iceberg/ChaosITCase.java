package dev.tidemark.integration.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.flink.testing.RunningJob;
import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.TestCluster;
import dev.tidemark.iceberg.commit.MirrorMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Snapshot;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One fault after another, in an order that a printed seed repeats: exact all the same. */
class ChaosITCase {
  private static final int STEPS = 20;
  private static final int ROWS = 30;
  private static final int FAULTS = 14;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(MirrorMode.class)
  void anyOrderOfFaultsIsExact(MirrorMode mode) throws Exception {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("ChaosITCase " + mode + ": -Dtidemark.test.seed=" + seed);
    TestTable table = TestTable.create(directory);
    Random random = new Random(seed);
    scriptFaults(table, random);
    Script<RowData> script = Script.<RowData>of().releaseWithCheckpoints();
    for (int step = 0; step < STEPS; step++) {
      script.add(Events.rows((long) step * ROWS, (long) (step + 1) * ROWS));
    }
    StreamExecutionEnvironment env = TestCluster.shared().environment(2, Duration.ofMillis(50));
    Configuration restarts = new Configuration();
    restarts.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 100);
    env.configure(restarts);
    env.getCheckpointConfig().enableUnalignedCheckpoints(random.nextBoolean());
    Events.boundedSink(env, script, table).mirrorMode(mode).inputIsComplete().append();
    script.release();
    try (RunningJob job = TestCluster.shared().submit(env)) {
      job.awaitFinished();
    }
    System.out.println(
        "ChaosITCase: "
            + table.faults().used()
            + " faults, "
            + table.commits().size()
            + " commits");
    assertExact(table);
    // 600 minutes from 08:00.
    assertThat(table.finality().opinion().watermarkMillis())
        .isEqualTo(Events.timeOf(STEPS * ROWS).toEpochMilli());
    assertThat(table.properties())
        .containsEntry(FinalizationProperties.WATERMARK, "2026-01-01T18:00:00Z");
  }

  private static void scriptFaults(TestTable table, Random random) {
    Faults faults = table.faults();
    for (int i = 0; i < FAULTS; i++) {
      switch (random.nextInt(11)) {
        case 0 -> faults.crashBefore(Faults.Kind.DATA);
        case 1 -> faults.crashAfter(Faults.Kind.DATA);
        case 2 -> faults.refuse(Faults.Kind.DATA);
        case 3 -> faults.landAndFail(Faults.Kind.DATA);
        case 4 -> faults.landAndAnswerUnknown(Faults.Kind.DATA);
        case 5 -> faults.loseAndAnswerUnknown(Faults.Kind.DATA);
        case 6 -> faults.crashBefore(Faults.Kind.MIRROR);
        case 7 -> faults.crashAfter(Faults.Kind.MIRROR);
        case 8 -> faults.crashAfter(Faults.Kind.OPINION);
        case 9 -> faults.loseAndAnswerUnknown(Faults.Kind.OPINION);
        default -> faults.overtake(Faults.Kind.DATA, () -> table.load().newAppend().commit());
      }
      if (random.nextBoolean()) {
        faults.pass(Faults.Kind.DATA);
      }
    }
  }

  private static void assertExact(TestTable table) {
    assertThat(table.ids()).isEqualTo(Events.ids(0, STEPS * ROWS));
    Set<String> commitIds = new HashSet<>();
    long counted = 0;
    long watermark = Long.MIN_VALUE;
    List<Snapshot> commits = table.commits();
    for (Snapshot commit : commits) {
      assertThat(commitIds.add(commit.summary().get(FinalizationProperties.COMMIT_ID))).isTrue();
      counted += Long.parseLong(commit.summary().get("finalization.event-time.count"));
      Long next =
          FinalizationProperties.number(commit.summary(), FinalizationProperties.WATERMARK_MS);
      assertThat(next == null ? Long.MIN_VALUE : next).isGreaterThanOrEqualTo(watermark);
      watermark = next == null ? Long.MIN_VALUE : next;
    }
    assertThat(counted).isEqualTo(STEPS * ROWS);
  }
}
