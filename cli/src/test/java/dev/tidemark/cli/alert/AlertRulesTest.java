package dev.tidemark.cli.alert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TestCatalog;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlertRulesTest {
  private static final Instant START = Instant.parse("2026-01-01T13:00:00Z");

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  Table table;

  @SuppressWarnings("NullAway.Init") // set before each test
  EventWriter writer;

  private final AlertRules rules = new AlertRules("lake.db.events", Duration.ofHours(2));

  /** Complete up to 12:00. */
  @BeforeEach
  void fill() {
    table = TestCatalog.hadoop(directory).create("events");
    writer = EventWriter.start(table, "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10", "12:50");
  }

  private List<Alert> after(Duration time) {
    return after(time, START);
  }

  private List<Alert> after(Duration time, @Nullable Instant movedAt) {
    TableFinality finality = IcebergFinality.of(table).read();
    return rules.observe(finality, movedAt, START.plus(time));
  }

  private static List<String> keys(List<Alert> alerts) {
    return alerts.stream().map(Alert::key).toList();
  }

  @Test
  void eachRevisionOfAnHourIsToldOnce() {
    assertThat(after(Duration.ZERO)).isEmpty();
    writer.write("11:20", "13:40");
    assertThat(keys(after(Duration.ofMinutes(1))))
        .containsExactly("lake.db.events/2026-01-01T11:00:00Z/1");
    assertThat(after(Duration.ofMinutes(2))).isEmpty();
    writer.write("11:30", "13:45");
    List<Alert> second = after(Duration.ofMinutes(3));
    assertThat(keys(second)).containsExactly("lake.db.events/2026-01-01T11:00:00Z/2");
    assertThat(second.get(0).details())
        .containsEntry("lateRows", "2")
        .containsEntry("revision", "2");
    assertThat(second.get(0).text()).contains("2026-01-01T11:00:00Z").contains("read it again");
  }

  @Test
  void whatWasReopenedBeforeTheStartIsKnown() {
    writer.write("11:20", "13:40");
    assertThat(after(Duration.ZERO)).isEmpty();
  }

  @Test
  void watermarkThatStandsIsToldOnceAndResolvedWhenItMoves() {
    assertThat(after(Duration.ZERO)).isEmpty();
    assertThat(after(Duration.ofMinutes(119))).isEmpty();
    List<Alert> stall = after(Duration.ofHours(2));
    assertThat(keys(stall)).containsExactly("lake.db.events/stall/2026-01-01T12:00:00Z");
    assertThat(stall.get(0).kind()).isEqualTo(Alert.Kind.STALLED);
    assertThat(stall.get(0).details())
        .containsEntry("hold", "none")
        .containsEntry("since", "2026-01-01T13:00:00Z");
    assertThat(after(Duration.ofHours(5))).isEmpty();
    writer.write("14:05");
    List<Alert> resolved = after(Duration.ofHours(6), START.plus(Duration.ofHours(6)));
    assertThat(keys(resolved))
        .containsExactly("lake.db.events/stall/2026-01-01T12:00:00Z/resolved");
    assertThat(resolved.get(0).details())
        .containsEntry("resolves", "lake.db.events/stall/2026-01-01T12:00:00Z");
    assertThat(after(Duration.ofHours(7), START.plus(Duration.ofHours(6)))).isEmpty();
  }

  @Test
  void stallNamesTheHold() {
    writer.write("11:20");
    assertThat(after(Duration.ofHours(3)).get(0).details()).containsEntry("hold", "LATE_DATA");
  }

  @Test
  void stallThatWasThereBeforeTheStartIsTold() {
    assertThat(keys(after(Duration.ofHours(9))))
        .containsExactly("lake.db.events/stall/2026-01-01T12:00:00Z");
  }

  @Test
  void withoutALimitTwoGranulesAreWaitedFor() {
    AlertRules byGranule = new AlertRules("lake.db.events", null);
    TableFinality finality = IcebergFinality.of(table).read();
    assertThat(byGranule.observe(finality, START, START.plusSeconds(7_199))).isEmpty();
    assertThat(byGranule.observe(finality, START, START.plusSeconds(7_200))).hasSize(1);
  }

  @Test
  void rollbackIsToldOnceAndResolvedByAReset() {
    assertThat(after(Duration.ZERO)).isEmpty();
    long before =
        IcebergHistory.of(table, "main").snapshots().skip(1).findFirst().orElseThrow().snapshotId();
    table.manageSnapshots().rollbackTo(before).commit();
    List<Alert> revoked = after(Duration.ofMinutes(1));
    assertThat(revoked).extracting(Alert::kind).containsExactly(Alert.Kind.REVOKED);
    assertThat(after(Duration.ofHours(9))).isEmpty();
    FinalizationAdmin.of(table).reset();
    assertThat(after(Duration.ofHours(9), START.plus(Duration.ofHours(9))))
        .extracting(Alert::kind)
        .contains(Alert.Kind.REVOKED_RESOLVED);
  }

  @Test
  void hoursThatWereReopenedBeforeARollbackAreNoNewsAfterTheReset() {
    writer.write("11:20", "13:40");
    writer.write("13:45");
    long before =
        IcebergHistory.of(table, "main").snapshots().skip(1).findFirst().orElseThrow().snapshotId();
    table.manageSnapshots().rollbackTo(before).commit();
    assertThat(after(Duration.ZERO)).isEmpty();
    FinalizationAdmin.of(table).reset();
    assertThat(after(Duration.ofMinutes(1)))
        .extracting(Alert::kind)
        .containsOnly(Alert.Kind.REVOKED_RESOLVED);
    EventWriter again = EventWriter.start(TestCatalog.hadoop(directory).load("events"), "orders");
    again.write("11:30", "13:50");
    assertThat(keys(after(Duration.ofMinutes(2))))
        .containsExactly("lake.db.events/2026-01-01T11:00:00Z/2/epoch-1");
  }

  @Test
  void sameRollbackASecondTimeIsAnotherEvent() {
    assertThat(after(Duration.ZERO)).isEmpty();
    long head = table.currentSnapshot().snapshotId();
    long before =
        IcebergHistory.of(table, "main").snapshots().skip(1).findFirst().orElseThrow().snapshotId();
    table.manageSnapshots().rollbackTo(before).commit();
    List<String> first = keys(after(Duration.ofMinutes(1)));
    table.manageSnapshots().setCurrentSnapshot(head).commit();
    assertThat(keys(after(Duration.ofMinutes(2)))).containsExactly(first.get(0) + "/resolved");
    table.manageSnapshots().rollbackTo(before).commit();
    assertThat(keys(after(Duration.ofMinutes(3)))).hasSize(1).doesNotContainAnyElementsOf(first);
  }

  @Test
  void stallAtTheSameWatermarkAfterAResetIsAnotherEvent() {
    FinalizationAdmin.of(table).reset();
    assertThat(keys(after(Duration.ofHours(9))))
        .containsExactly("lake.db.events/stall/2026-01-01T12:00:00Z/epoch-1");
  }
}
