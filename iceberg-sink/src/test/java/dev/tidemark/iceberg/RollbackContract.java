package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.nio.file.Path;
import java.util.function.Function;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;

/** A table that was rolled back behind a watermark that consumers have seen. */
abstract class RollbackContract extends TableContract {
  private static final Hold ROLLED_BACK = Hold.of(Hold.Reason.ROLLED_BACK);

  RollbackContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void readersAnswerRevokedAfterARollback() {
    EventWriter writer = writer("w");
    long first = writer.write("10:05").snapshotId();
    writer.write("12:05");

    load().manageSnapshots().rollbackTo(first).commit();

    assertThat(mirrored(load())).isEqualTo("12:00");
    assertThat(truth()).isEqualTo("10:00");
    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Revoked.class);
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void readersAnswerRevokedWhenTheHeadIsSetToAnyOtherSnapshot() {
    EventWriter writer = writer("w");
    long first = writer.write("10:05").snapshotId();
    writer.write("12:05");

    load().manageSnapshots().setCurrentSnapshot(first).commit();

    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void rollbackToBeforeTheFirstOpinionIsRevokedToo() {
    Table table = load();
    long foreign = TestFiles.append(table, TestFiles.of(table, "07:05"));
    EventWriter writer = writer("w");
    writer.write("12:05");

    load().manageSnapshots().rollbackTo(foreign).commit();

    assertThat(read().revoked()).isTrue();
    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Revoked.class);
    writer.write("13:05");
    assertThat(hold()).isEqualTo(ROLLED_BACK);
    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Revoked.class);
  }

  @Test
  void committerGoesOnWithDataHoldsAndLeavesTheMirrorAlone() {
    EventWriter writer = rolledBack();

    writer.write("13:05");
    writer.write("14:05");

    assertThat(truth()).isEqualTo("10:00");
    assertThat(mirrored(load())).isEqualTo("12:00");
    assertThat(hold()).isEqualTo(ROLLED_BACK);
    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Revoked.class);
    assertThat(TestFiles.paths(load())).hasSize(3);
  }

  @Test
  void restartAfterARollbackHealsNothing() {
    rolledBack();
    int versions = versions(load());
    writer("w");
    assertThat(versions(load())).isEqualTo(versions);
    assertThat(mirrored(load())).isEqualTo("12:00");
  }

  @Test
  void resetSetsTheMirrorToTheTruthRaisesTheEpochAndLetsTheWatermarkAdvance() {
    EventWriter writer = rolledBack();
    writer.write("13:05");

    FinalizationAdmin.of(load()).reset();

    assertWatermark("10:00");
    assertThat(opinion().epoch()).isEqualTo(1);
    assertThat(load().properties()).containsEntry("finalization.epoch", "1");
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.NotReady.class);

    writer.write("14:05");
    assertWatermark("14:00");
    assertThat(opinion().epoch()).isEqualTo(1);
  }

  @Test
  void secondResetRaisesTheEpochAboveTheOneThatWasPublished() {
    EventWriter writer = writer("w");
    long first = writer.write("10:05").snapshotId();
    writer.write("12:05");
    load().manageSnapshots().rollbackTo(first).commit();
    FinalizationAdmin.of(load()).reset();
    writer.write("12:05");
    assertThat(opinion().epoch()).isEqualTo(1);

    load().manageSnapshots().rollbackTo(first).commit();
    FinalizationAdmin.of(load()).reset();

    assertThat(opinion().epoch()).isEqualTo(2);
    assertWatermark("10:00");
  }

  @Test
  void expiryOfTheRolledBackSnapshotForgetsNothing() {
    EventWriter writer = rolledBack();
    expireAllButHead(load());
    assertThat(load().snapshots()).hasSize(1);

    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Revoked.class);
    writer.write("13:05");
    assertThat(hold()).isEqualTo(ROLLED_BACK);
    assertThat(mirrored(load())).isEqualTo("12:00");
  }

  @Test
  void expiryAfterFurtherCommitsForgetsNothingEither() {
    EventWriter writer = rolledBack();
    writer.write("13:05");
    writer.write("14:05");
    expireAllButHead(load());
    assertThat(load().snapshots()).hasSize(1);

    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Revoked.class);
    writer.write("15:05");
    assertThat(hold()).isEqualTo(ROLLED_BACK);
    assertThat(mirrored(load())).isEqualTo("12:00");

    FinalizationAdmin.of(load()).reset();
    writer.write("16:05");
    assertWatermark("16:00");
  }

  @Test
  void rollbackOfACommitThatDidNotMoveTheWatermarkRevokesNothingButHolds() {
    EventWriter writer = writer("w");
    long first = writer.write("10:05").snapshotId();
    writer.write("10:30");
    load().manageSnapshots().rollbackTo(first).commit();

    assertThat(read().revoked()).isFalse();
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Ready.class);

    writer.write("12:05");
    assertThat(hold()).as("rows of 10:30 are gone: 10 o'clock is not whole").isEqualTo(ROLLED_BACK);
    assertThat(truth()).isEqualTo("10:00");
    FinalizationAdmin.of(load()).reset();
    writer.write("13:05");
    assertWatermark("13:00");
  }

  @Test
  void expiryAfterSuchARollbackDoesNotLetTheWatermarkPassTheLostRows() {
    EventWriter writer = writer("w");
    long first = writer.write("10:05").snapshotId();
    writer.write("10:30");
    load().manageSnapshots().rollbackTo(first).commit();
    writer.write("12:05");
    expireAllButHead(load());

    writer.write("13:05");

    assertThat(hold()).isEqualTo(ROLLED_BACK);
    assertThat(truth()).isEqualTo("10:00");
  }

  @Test
  void retiringAWriterOfARolledBackTableMovesNothingUntilTheReset() {
    EventWriter a = writer("a");
    EventWriter b = writer("b");
    a.write("10:05");
    long first = b.write("08:05").snapshotId();
    b.write("09:05");
    load().manageSnapshots().rollbackTo(first).commit();

    FinalizationAdmin.of(load()).retire("b");
    expireAllButHead(load());

    assertThat(truth()).isEqualTo("08:00");
    assertThat(hold()).isEqualTo(ROLLED_BACK);
    assertThat(read().revoked()).isTrue();
    a.write("12:05");
    assertThat(hold()).isEqualTo(ROLLED_BACK);
    FinalizationAdmin.of(load()).reset();
    assertWatermark("10:00");
    a.write("13:05");
    assertWatermark("13:00");
  }

  @Test
  void rollForwardToThePublishedSnapshotEndsTheHold() {
    EventWriter writer = writer("w");
    long first = writer.write("10:05").snapshotId();
    long second = writer.write("12:05").snapshotId();
    load().manageSnapshots().rollbackTo(first).commit();
    load().manageSnapshots().setCurrentSnapshot(second).commit();

    assertThat(ask("11:00")).isInstanceOf(FinalityAnswer.Ready.class);
    writer.write("13:05");
    assertWatermark("13:00");
  }

  /** W 12:00 was published; the head is back at 10:00. */
  private EventWriter rolledBack() {
    EventWriter writer = writer("w");
    long first = writer.write("10:05").snapshotId();
    writer.write("12:05");
    load().manageSnapshots().rollbackTo(first).commit();
    return writer;
  }
}
