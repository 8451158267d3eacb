package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.iceberg.catalog.DelegatingOperations;
import dev.tidemark.iceberg.commit.MirrorMode;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.rest.RestLikeOperations;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table properties that repeat the opinion: when they are written, and what they cannot do. */
abstract class MirrorContract extends TableContract {
  MirrorContract(Function<Path, TestCatalog> catalogs) {
    super(catalogs);
  }

  @ParameterizedTest
  @CsvSource({
    "finalization.watermark-ms, 1767304800000",
    "finalization.watermark-ms, 0",
    "finalization.watermark, 2030-01-01T00:00:00Z",
    "finalization.from-ms, 1767304800000",
    "finalization.evidence, promise",
    "finalization.epoch, 7",
    "finalization.reopened, 1767258000:5:1",
    "finalization.policy, source-promise;1;PT0S;P1D",
    "finalization.writers, somebody=5",
    "finalization.watermark-ms, soon",
    "finalization.snapshot-id, none",
    "finalization.snapshot-time-ms, never",
    "finalization.epoch, first",
    "finalization.policy, whatever",
    "finalization.format, 99",
    "finalization.event-time.field-id, x",
    "finalization.event-time.field-id, 3",
    "finalization.of-nobody, x"
  })
  void handEditOfAPropertyFoolsNoReaderAndIsHealedByTheNextCommit(String key, String value) {
    EventWriter writer = writer("w");
    writer.write("10:05");
    Map<String, String> before = Mirror.of(load().properties()).properties();

    setByHand(load(), Map.of(key, value));

    assertThat(truth()).isEqualTo("10:00");
    assertThat(read().revoked()).isFalse();
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Ready.class);
    assertThat(ask("10:00")).isInstanceOf(FinalityAnswer.NotReady.class);

    writer.write("11:05");

    assertWatermark("11:00");
    assertThat(Mirror.of(load().properties()).properties().keySet()).isEqualTo(before.keySet());
    assertThat(opinion().epoch()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "finalization.watermark-ms",
    "finalization.snapshot-id",
    "finalization.snapshot-time-ms",
    "finalization.policy"
  })
  void removalByHandIsHealedByTheNextStart(String key) {
    writer("w").write("10:05");
    Map<String, String> before = Mirror.of(load().properties()).properties();
    load().updateProperties().remove(key).commit();
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Ready.class);

    writer("w");

    assertThat(Mirror.of(load().properties()).properties()).isEqualTo(before);
  }

  @Test
  void propertyWithoutAnyCommitClaimsNothing() {
    setByHand(
        load(),
        Map.of(
            "finalization.watermark-ms", "1767304800000",
            "finalization.from-ms", "0",
            "finalization.policy", "min;1;PT0S;PT1H"));
    assertThat(ask("09:00")).isInstanceOf(FinalityAnswer.Unknown.class);
  }

  @Test
  void postCommitMakesTwoVersionsAndShowsTheSame() {
    EventWriter writer = postCommit(load());
    Table table = load();
    int versions = versions(table);

    writer.write("10:05");

    assertThat(versions(table)).isEqualTo(versions + 2);
    assertWatermark("10:00");
    assertThat(load().properties())
        .containsEntry("finalization.snapshot-id", "" + load().currentSnapshot().snapshotId());
  }

  @Test
  void postCommitLagsAfterACrashAndIsHealedByTheNextStart() {
    EventWriter writer = postCommit(load());
    writer.write("10:05");
    postCommit(deaf(load())).write("11:05");

    assertThat(truth()).isEqualTo("11:00");
    assertThat(mirrored(load())).isEqualTo("10:00");
    assertThat(read().revoked()).isFalse();
    assertThat(ask("10:00")).isInstanceOf(FinalityAnswer.Ready.class);

    postCommit(load());
    assertWatermark("11:00");
  }

  @Test
  void postCommitLagsAfterACrashAndIsHealedByTheNextCommit() {
    postCommit(load()).write("10:05");
    EventWriter next = postCommit(load());
    postCommit(deaf(load())).write("11:05");
    assertThat(mirrored(load())).isEqualTo("10:00");

    next.write("11:30");

    assertWatermark("11:00");
  }

  @Test
  void postCommitIsRefusedOnRest() {
    Table table = load();
    TableOperations rest = new RestLikeOperations(((HasTableOperations) table).operations());
    assertThatThrownBy(() -> postCommit(new BaseTable(rest, table.name())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot use POST_COMMIT on table " + table.name())
        .hasMessageContaining("expected: SAME_COMMIT");
  }

  @Test
  void sameCommitWorksOnRestAndHealsWithItsCommitsAlone() {
    writer("w").write("10:05");
    setByHand(load(), Map.of("finalization.watermark-ms", "0"));
    Table table = load();
    int versions = versions(load());
    Table rest =
        new BaseTable(
            new RestLikeOperations(((HasTableOperations) table).operations()), table.name());

    EventWriter writer = EventWriter.start(rest, "w");
    assertThat(versions(load())).as("no property update of its own").isEqualTo(versions);
    writer.write("11:05");
    assertWatermark("11:00");
  }

  private static EventWriter postCommit(Table table) {
    return EventWriter.start(
        table, EventWriter.config("w").build(), plan -> plan.mirrorMode(MirrorMode.POST_COMMIT));
  }

  /** A handle of a process that dies between the data and the property. */
  private static Table deaf(Table table) {
    return new BaseTable(
        new DelegatingOperations(((HasTableOperations) table).operations()) {
          @Override
          public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
            if (base != null && base.snapshots().size() == metadata.snapshots().size()) {
              throw new CommitFailedException("the process is gone");
            }
            super.commit(base, metadata);
          }
        },
        table.name());
  }
}
