package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.iceberg.commit.CommitResult;
import dev.tidemark.iceberg.commit.TableCommit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** One commit: what it carries, and that it is made once. */
abstract class CommitContract extends TableContract {
  CommitContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void dataFactsOpinionAndMirrorAreOneMetadataVersion() {
    EventWriter writer = writer("w");
    Table table = load();
    int before = versions(table);

    CommitResult.Committed committed = writer.write("10:05", "10:20");

    assertThat(versions(table)).isEqualTo(before + 1);
    Snapshot head = table.currentSnapshot();
    assertThat(head.snapshotId()).isEqualTo(committed.snapshotId());
    assertThat(head.summary())
        .containsEntry("added-records", "2")
        .containsEntry("finalization.event-time.count", "2")
        .containsEntry("finalization.event-time.min-ms", "" + TestFiles.at("10:05"))
        .containsEntry("finalization.writer", "w")
        .containsEntry("finalization.watermark", "2026-01-01T10:00:00Z");
    assertThat(table.properties())
        .containsEntry("finalization.watermark", "2026-01-01T10:00:00Z")
        .containsEntry("finalization.snapshot-id", "" + head.snapshotId());
  }

  @Test
  void registrationIsOneMetadataVersionAndTheSecondStartIsNone() {
    Table table = load();
    int before = versions(table);
    writer("w");
    assertThat(versions(table)).isEqualTo(before + 1);
    writer("w");
    assertThat(versions(table)).isEqualTo(before + 1);
  }

  @Test
  void watermarkNeverMovesBackAndTheMirrorShowsEveryCommit() {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("CommitContract: -Dtidemark.test.seed=" + seed);
    Random random = new Random(seed);
    EventWriter writer = writer("w");
    Table table = load();
    String last = "";
    for (int i = 0; i < 25; i++) {
      long base = TestFiles.at("08:00") + random.nextInt(10 * 3_600_000);
      writer.write(List.of(base, base + random.nextInt(3_600_000)));
      table.refresh();
      Map<String, String> summary = table.currentSnapshot().summary();
      assertThat(mirrored(table)).as("seed %s", seed).isGreaterThanOrEqualTo(last);
      last = mirrored(table);
      Map<String, String> repeated = new TreeMap<>(Mirror.of(table.properties()).properties());
      repeated
          .keySet()
          .removeAll(
              Set.of(
                  FinalizationProperties.SNAPSHOT_ID,
                  FinalizationProperties.SNAPSHOT_TIME_MS,
                  Mirror.EVENT_TIME_FIELD_ID,
                  Mirror.EVENT_TIME_TYPE));
      assertThat(summary).containsAllEntriesOf(repeated);
      assertThat(repeated)
          .containsKeys(
              "finalization.watermark-ms", "finalization.watermark", "finalization.policy")
          .containsKeys("finalization.from-ms", "finalization.evidence");
    }
  }

  @Test
  void checkpointWithoutRowsIsCommittedOnlyIfAskedFor() {
    EventWriter writer = writer("w");
    writer.write("10:05");
    long head = load().currentSnapshot().snapshotId();

    assertThat(writer.writeNothing(false)).isInstanceOf(CommitResult.Skipped.class);
    assertThat(load().currentSnapshot().snapshotId()).isEqualTo(head);

    assertThat(writer.writeNothing(true)).isInstanceOf(CommitResult.Committed.class);
    assertThat(load().currentSnapshot().parentId()).isEqualTo(head);
    assertWatermark("10:00");
  }

  @Test
  void secondDeliveryOfACommitChangesNothing() {
    EventWriter writer = writer("w");
    TableCommit commit = writer.checkpoint("10:05");
    CommitResult.Committed first = (CommitResult.Committed) writer.commit(commit);
    writer.write("11:05");
    int versions = versions(load());

    CommitResult second = writer("w").commit(EventWriter.redelivered(commit));

    assertThat(second).isEqualTo(new CommitResult.AlreadyCommitted(first.snapshotId()));
    assertThat(versions(load())).isEqualTo(versions);
    assertThat(TestFiles.paths(load())).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void secondDeliveryFailsClosedOnceHistoryCannotTell() {
    EventWriter writer = writer("w");
    TableCommit commit = writer.checkpoint("10:05");
    writer.commit(commit);
    TableCommit old =
        new TableCommit(
            new TableCommit.Identity(
                commit.identity().id(), 1, System.currentTimeMillis() - 3_600_000, true),
            commit.files(),
            commit.counted(),
            Map.of());
    writer.write("11:05");
    expireAllButHead(load());

    assertThatThrownBy(() -> writer.commit(old))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Cannot tell whether commit " + commit.identity().id())
        .hasMessageContaining("Committing again could duplicate rows");
    assertThat(TestFiles.paths(load())).hasSize(2);
  }

  @Test
  void refusalOfAHookCommitsNothing() {
    Refusing hook = new Refusing();
    EventWriter writer =
        EventWriter.start(
            load(), EventWriter.config("w").build(), plan -> plan.processors(List.of(hook)));
    int versions = versions(load());
    TableCommit commit = writer.checkpoint("10:05");

    assertThatThrownBy(() -> writer.commit(commit)).hasMessageContaining("not today");
    assertThat(versions(load())).isEqualTo(versions);

    hook.refuses = false;
    writer.commit(commit);
    assertThat(load().currentSnapshot().summary()).containsEntry("audit.by", "hook");
    assertWatermark("10:00");
  }

  @Test
  void hooksCannotWriteKeysOfTheSink() {
    CommitProcessor<Table> forger =
        new CommitProcessor<>() {
          @Override
          public void preCommit(CommitContext<Table> context) {
            context.putProperty(FinalizationProperties.WATERMARK_MS, "1");
          }
        };
    EventWriter writer =
        EventWriter.start(
            load(), EventWriter.config("w").build(), plan -> plan.processors(List.of(forger)));
    assertThatThrownBy(() -> writer.write("10:05"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("finalization.watermark-ms");
  }

  @Test
  void lateRowsAreCountedPerHourAndToldToListenersAfterTheCommit() {
    List<LateDataReport> heard = new ArrayList<>();
    EventWriter writer =
        EventWriter.start(
            load(),
            EventWriter.config("w").build(),
            plan -> plan.lateListeners(List.of((table, report) -> heard.add(report))));
    writer.write("12:05");
    writer.write("10:10", "10:20", "11:30", "12:40");

    assertThat(hold()).isEqualTo(Hold.of(Hold.Reason.LATE_DATA));
    assertThat(heard)
        .singleElement()
        .satisfies(
            report -> {
              assertThat(report.watermarkMillis()).isEqualTo(TestFiles.at("12:00"));
              assertThat(report.cause()).isEqualTo(LateDataReport.Cause.STREAM);
              assertThat(report.rows().asMap())
                  .containsExactly(
                      Map.entry(TestFiles.at("10:00"), 2L), Map.entry(TestFiles.at("11:00"), 1L));
            });
    assertWatermark("12:00");
  }

  @Test
  void endOfADeclaredInputFinishesTheLastHour() {
    EventWriter writer = writer("w");
    writer.write("10:05", "10:50");
    writer.end();
    assertWatermark("11:00");
  }

  private static final class Refusing implements CommitProcessor<Table> {
    private static final long serialVersionUID = 1L;
    private boolean refuses = true;

    @Override
    public void preCommit(CommitContext<Table> context) throws CommitAbortedException {
      if (refuses) {
        throw new CommitAbortedException("not today");
      }
      context.putProperty("audit.by", "hook");
    }
  }
}
