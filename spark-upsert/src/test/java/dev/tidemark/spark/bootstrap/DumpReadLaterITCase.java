package dev.tidemark.spark.bootstrap;

import static dev.tidemark.spark.testing.TestChange.delete;
import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestChange.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeOutcome;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestSession;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Rows that were dumped after the position that they stand at, and primary keys that changed in
 * between, in images that leave columns out.
 */
class DumpReadLaterITCase extends OrdersFixture {
  @Test
  void rowThatWasDumpedUnderItsNewKeyKeepsWhatItsInsertLeavesOut() {
    dumped("(6L, 'moved', 5.00BD)");
    ledger.append(delete(11, 5).half(1), insert(11, 6, "state", "moved").half(2));
    MergeOutcome.Merged outcome = merged();
    assertThat(base.rows()).isEqualTo(Map.of(6L, "moved/5.00"));
    assertThat(outcome.notes()).noneMatch(note -> note.contains("known to nobody"));
  }

  @Test
  void rowIsNotTakenForThatOfTheOldKeyWhichWasUsedAgain() {
    dumped("(5L, 'another', 9.00BD), (6L, 'moved', 5.00BD)");
    ledger.append(
        delete(11, 5).half(1),
        insert(11, 6, "state", "moved").half(2),
        insert(12, 5, "state", "another", "amount", "9.00"));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(5L, "another/9.00", 6L, "moved/5.00"));
  }

  @Test
  void rowThatWasDumpedBetweenTwoChangesOfItsKeyTakesItsColumnsAlong() {
    dumped("(6L, 'moved', 5.00BD)");
    ledger.append(
        delete(11, 5).half(1),
        insert(11, 6, "state", "moved").half(2),
        update(12, 6, "state", "paid"),
        delete(13, 6).half(1),
        insert(13, 7).half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(7L, "paid/5.00"));
  }

  @Test
  void rowThatWasDumpedUnderTheOldKeyIsFoundThere() {
    dumped("(5L, 'new', 5.00BD)");
    ledger.append(delete(11, 5).half(1), insert(11, 6, "state", "moved").half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(6L, "moved/5.00"));
  }

  @Test
  void olderRowOfTheNewKeyIsNotTakenForIt() {
    dumped("(5L, 'new', 5.00BD), (6L, 'older', 6.00BD)");
    ledger.append(
        delete(11, 6, "state", "older", "amount", "6.00"),
        delete(12, 5).half(1),
        insert(12, 6, "state", "moved").half(2));
    merged();
    assertThat(base.rows()).isEqualTo(Map.of(6L, "moved/5.00"));
  }

  private void dumped(String rows) {
    new Bootstrap(TestSession.get(), base.name(), ledger.name())
        .load(
            new BinlogPosition(new Gtid(0, 1, 10), Instant.parse("2026-01-01T10:10:00Z")),
            TestSession.get().sql("SELECT * FROM VALUES " + rows + " AS t(id, state, amount)"));
  }

  private MergeOutcome.Merged merged() {
    return (MergeOutcome.Merged)
        LedgerMerge.of(TestSession.get(), MergeRequest.of(base.name(), ledger.name())).run().get(0);
  }
}
