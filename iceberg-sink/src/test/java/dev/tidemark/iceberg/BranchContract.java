package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import java.util.function.Function;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** Branches and tags. */
abstract class BranchContract extends TableContract {
  BranchContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void branchHasATruthOfItsOwnAndTheMirrorBelongsToMain() {
    EventWriter main = writer("w");
    main.write("10:05");
    load().manageSnapshots().createBranch("audit").commit();
    EventWriter branch = onBranch("audit");

    branch.write("14:05");
    main.write("11:05");

    assertThat(truthOf("audit")).isEqualTo("14:00");
    assertWatermark("11:00");
    assertThat(ask(readBranch("audit"), "13:00", null)).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(ask("13:00")).isInstanceOf(FinalityAnswer.NotReady.class);
  }

  @Test
  void rollbackOfMainDoesNotConcernABranch() {
    EventWriter main = writer("w");
    long first = main.write("10:05").snapshotId();
    load().manageSnapshots().createBranch("audit").commit();
    EventWriter branch = onBranch("audit");
    main.write("12:05");
    load().manageSnapshots().rollbackTo(first).commit();

    branch.write("11:05");

    assertThat(truthOf("audit")).isEqualTo("11:00");
    assertThat(readBranch("audit").revoked()).isFalse();
    assertThat(read().revoked()).isTrue();
  }

  @Test
  void branchThatACommitCreatesGoesOnFromTheTruthThatItDescendsFrom() {
    writer("w").write("10:05");

    onBranch("audit").write("08:05");

    Table table = load();
    Snapshot head = Objects.requireNonNull(table.snapshot("audit"));
    assertThat(IcebergHistory.of(table, "audit").snapshots()).contains(table.currentSnapshot());
    assertThat(watermark(head)).isEqualTo("10:00");
    assertThat(head.summary()).containsKey("finalization.late");
    assertThat(truthOf("audit")).isEqualTo("10:00");
    assertWatermark("10:00");
  }

  @Test
  void branchThatIsNotThereIsUnknown() {
    writer("w").write("10:05");
    assertThat(ask(readBranch("nowhere"), "09:00", null))
        .isInstanceOf(FinalityAnswer.Unknown.class);
  }

  @Test
  void fastForwardBringsTheBranchsTruthToMain() {
    EventWriter main = writer("w");
    main.write("10:05");
    load().manageSnapshots().createBranch("audit").commit();
    onBranch("audit").write("14:05");

    load().manageSnapshots().fastForwardBranch("main", "audit").commit();

    assertThat(truth()).isEqualTo("14:00");
    assertThat(ask("13:00")).isInstanceOf(FinalityAnswer.Ready.class);
    main.write("15:05");
    assertWatermark("15:00");
  }

  @Test
  void startAfterAFastForwardHealsTheMirror() {
    writer("w").write("10:05");
    load().manageSnapshots().createBranch("audit").commit();
    onBranch("audit").write("14:05");
    load().manageSnapshots().fastForwardBranch("main", "audit").commit();
    assertThat(mirrored(load())).isEqualTo("10:00");

    writer("w");

    assertWatermark("14:00");
  }

  @Test
  void tagTellsTheTruthOfItsTime() {
    EventWriter main = writer("w");
    long first = main.write("10:05").snapshotId();
    load().manageSnapshots().createTag("yesterday", first).commit();
    main.write("12:05");

    assertThat(truthOf("yesterday")).isEqualTo("10:00");
    assertThat(ask(readBranch("yesterday"), "11:00", null))
        .isInstanceOf(FinalityAnswer.NotReady.class);
    assertThat(IcebergHistory.of(load(), "yesterday").newestFirst())
        .extracting(commit -> commit.properties().get("finalization.watermark"))
        .containsExactly("2026-01-01T10:00:00Z", null);
  }

  @Test
  void historyFromASnapshotIsNewestFirst() {
    EventWriter main = writer("w");
    long first = main.write("10:05").snapshotId();
    long second = main.write("12:05").snapshotId();
    main.write("13:05");
    assertThat(IcebergHistory.from(load(), second).newestFirst())
        .extracting(commit -> commit.id())
        .startsWith("" + second, "" + first)
        .hasSize(3);
  }

  private EventWriter onBranch(String branch) {
    return EventWriter.start(load(), EventWriter.config("w").build(), plan -> plan.branch(branch));
  }

  private TableFinality readBranch(String branch) {
    return IcebergFinality.of(load(), branch, Clock.systemUTC()).read();
  }

  private String truthOf(String branch) {
    Opinion opinion = Objects.requireNonNull(readBranch(branch).opinion());
    return time(opinion.watermarkMillis());
  }
}
