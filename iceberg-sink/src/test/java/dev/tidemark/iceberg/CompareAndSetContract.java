package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.iceberg.catalog.DelegatingOperations;
import dev.tidemark.iceberg.commit.CommitResult;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Another process moves the table between the decision and the commit. */
abstract class CompareAndSetContract extends TableContract {
  CompareAndSetContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @Test
  void dataCommittedByAnotherWriterBetweenDecisionAndCommitIsDecidedUpon() {
    EventWriter other = writer("other");
    other.write("09:05");
    Between hook = new Between(() -> other.write("11:05"));
    EventWriter writer = hooked(hook);

    writer.write("12:05");

    assertThat(hook.attempts).isEqualTo(2);
    assertWatermark("11:00");
    assertThat(TestFiles.paths(load())).hasSize(3).doesNotHaveDuplicates();
  }

  @Test
  void foreignAppendBetweenDecisionAndCommitIsReportedAsLate() {
    EventWriter first = writer("w");
    first.write("12:05");
    Table other = load();
    Between hook = new Between(() -> TestFiles.append(other, TestFiles.of(other, "10:05")));

    hooked(hook).write("12:30");

    assertThat(hook.attempts).isEqualTo(2);
    assertThat(load().currentSnapshot().summary()).containsKey("finalization.late-foreign");
    assertWatermark("12:00");
    assertThat(TestFiles.paths(load())).hasSize(3);
  }

  @Test
  void propertySetUpAndThenDownIsRefusedTwiceAndHealed() {
    EventWriter first = writer("w");
    first.write("10:05");
    Between hook =
        new Between(
            () -> setByHand(load(), Map.of("finalization.watermark-ms", "" + at("20:00"))),
            () -> setByHand(load(), Map.of("finalization.watermark-ms", "" + at("02:00"))));

    hooked(hook).write("11:05");

    assertThat(hook.attempts).isEqualTo(3);
    assertWatermark("11:00");
    assertThat(load().properties()).containsEntry("finalization.watermark", "2026-01-01T11:00:00Z");
  }

  @Test
  void propertySetUpAndBackToWhatItWasIsNoReasonToRefuse() {
    writer("w").write("10:05");
    String now = load().properties().get("finalization.watermark-ms");
    Between hook =
        new Between(
            () -> {
              setByHand(load(), Map.of("finalization.watermark-ms", "" + at("20:00")));
              setByHand(load(), Map.of("finalization.watermark-ms", now));
            });

    hooked(hook).write("11:05");

    assertThat(hook.attempts).isEqualTo(1);
    assertWatermark("11:00");
  }

  @Test
  void staleHandleCannotSetAnEarlierWatermarkAfterALaterOne() {
    EventWriter stale = writer("w");
    stale.write("08:05");
    writer("w").write("20:05");

    stale.write("10:05");

    assertWatermark("20:00");
    assertThat(ancestors(load()).stream().map(s -> watermark(s)))
        .containsExactly("none", "08:00", "20:00", "20:00");
  }

  @Test
  void headMovedAfterTheLastCheckIsRefusedByTheStoreAndDecidedAgain() {
    EventWriter other = writer("other");
    other.write("09:05");
    writer("w");
    Table raced = Intervention.before(load(), () -> other.write("11:05"));
    EventWriter writer = EventWriter.start(raced, "w");

    writer.write("12:05");

    assertThat(Intervention.commits(raced)).isEqualTo(2);
    assertWatermark("11:00");
    assertThat(TestFiles.paths(load())).hasSize(3).doesNotHaveDuplicates();
  }

  @Test
  void propertyMovedAfterTheLastCheckIsRefusedByTheStoreAndHealed() {
    writer("w").write("10:05");
    Map<String, String> edit =
        Map.of("finalization.watermark-ms", "" + at("20:00"), "finalization.epoch", "7");
    Table raced = Intervention.before(load(), () -> setByHand(load(), edit));

    EventWriter.start(raced, "w").write("11:05");

    assertThat(Intervention.commits(raced)).isEqualTo(2);
    assertWatermark("11:00");
    assertThat(load().properties())
        .as("decided again: Iceberg's own retry would have kept this")
        .doesNotContainKey("finalization.epoch");
  }

  @Test
  void changeOfSomethingElseAfterTheLastCheckIsKept() {
    writer("w").write("10:05");
    Table raced =
        Intervention.before(
            load(),
            () -> {
              setByHand(load(), Map.of("owner", "somebody"));
              load().updateSchema().addColumn("note", Types.StringType.get()).commit();
            });

    CommitResult.Committed committed = EventWriter.start(raced, "w").write("11:05");

    assertWatermark("11:00");
    assertThat(load().currentSnapshot().snapshotId()).isEqualTo(committed.snapshotId());
    assertThat(load().properties())
        .containsEntry("owner", "somebody")
        .containsEntry("finalization.snapshot-id", "" + committed.snapshotId());
    assertThat(load().schema().findField("note")).isNotNull();
    int versions = versions(load());
    writer("w");
    assertThat(versions(load())).as("nothing to heal").isEqualTo(versions);
  }

  @Test
  void commitThatTheStoreDoesNotKnowTheFateOfIsFoundByItsId() {
    writer("w").write("10:05");
    EventWriter writer = EventWriter.start(uncertain(load(), true), "w");

    CommitResult result = writer.commit(writer.checkpoint("11:05"));

    assertThat(result)
        .isEqualTo(new CommitResult.AlreadyCommitted(load().currentSnapshot().snapshotId()));
    assertWatermark("11:00");
    assertThat(TestFiles.paths(load())).hasSize(2);
  }

  @Test
  void commitThatIsNotFoundStaysUnknown() {
    writer("w").write("10:05");
    EventWriter writer = EventWriter.start(uncertain(load(), false), "w");

    assertThatThrownBy(() -> writer.commit(writer.checkpoint("11:05")))
        .isInstanceOf(CommitStateUnknownException.class);
    assertWatermark("10:00");
  }

  @Test
  void tableThatNeverStandsStillFailsTheCommitAfterItsRetries() {
    Table other = load();
    Runnable append = () -> TestFiles.append(other, TestFiles.of(other, "10:30"));
    Runnable[] always = new Runnable[110];
    Arrays.fill(always, append);
    Between hook = new Between(always);
    EventWriter writer = hooked(hook);

    assertThatThrownBy(() -> writer.write("11:05"))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("it moved under each of 101 attempts");
    assertThat(hook.attempts).isEqualTo(101);
    assertThat(TestFiles.paths(load())).hasSize(101);
  }

  private static long at(String time) {
    return TestFiles.at(time);
  }

  private EventWriter hooked(Between hook) {
    return EventWriter.start(
        load(), EventWriter.config("w").build(), plan -> plan.processors(List.of(hook)));
  }

  /** A handle whose store answers the first commit by saying that it does not know. */
  private static Table uncertain(Table table, boolean commits) {
    return new BaseTable(
        new DelegatingOperations(((HasTableOperations) table).operations()) {
          @Override
          public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
            if (commits) {
              super.commit(base, metadata);
            }
            throw new CommitStateUnknownException(new IllegalStateException("connection lost"));
          }
        },
        table.name());
  }

  /** Does one thing per attempt, between the decision and the commit. */
  private static final class Between implements CommitProcessor<Table> {
    private static final long serialVersionUID = 1L;
    private final transient List<Runnable> actions;
    private int attempts;

    Between(Runnable... actions) {
      this.actions = List.of(actions);
    }

    @Override
    public void preCommit(CommitContext<Table> context) {
      if (attempts < actions.size()) {
        actions.get(attempts).run();
      }
      attempts++;
    }
  }
}
