package dev.tidemark.iceberg.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The catalog around another: what engines commit with the keys shows in the properties. */
abstract class FinalityCatalogContract {
  private static final TableIdentifier EVENTS = EmbeddedCatalog.identifier("events");

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  FinalityCatalog catalog;

  /** What names the catalog inside, and what it needs. */
  abstract Map<String, String> properties();

  @BeforeEach
  void open() {
    catalog = another();
    if (!catalog.namespaceExists(Namespace.of("db"))) {
      catalog.createNamespace(Namespace.of("db"), Map.of());
    }
  }

  @Test
  void plainAppendWithTheKeysMovesThePropertyInTheSameMetadataVersion() {
    Table table = create();
    int versions = versions(table);

    append(table, 10, 0);

    assertThat(versions(table)).isEqualTo(versions + 1);
    assertThat(table.properties())
        .containsEntry("finalization.watermark-ms", "10")
        .containsEntry("finalization.watermark", "1970-01-01T00:00:00.010Z")
        .containsEntry("finalization.policy", "min;1;PT0S;PT1H")
        .containsEntry(
            "finalization.snapshot-id", Long.toString(table.currentSnapshot().snapshotId()));
    assertThat(another().loadTable(EVENTS).properties())
        .containsEntry("finalization.watermark-ms", "10");
  }

  @Test
  void appendWithoutTheKeysLeavesThePropertyAlone() {
    Table table = create();
    append(table, 10, 0);
    Map<String, String> before = table.properties();
    table.newAppend().commit();
    assertThat(table.properties()).isEqualTo(before);
  }

  @Test
  void propertyNeverMovesBack() {
    Table table = create();
    append(table, 20, 0);
    Map<String, String> before = table.properties();
    append(table, 10, 0);
    assertThat(table.properties()).isEqualTo(before);
    append(table, 30, 0);
    assertThat(table.properties()).containsEntry("finalization.watermark-ms", "30");
  }

  @Test
  void laterEpochMovesThePropertyEvenDown() {
    Table table = create();
    append(table, 20, 0);
    append(table, 10, 1);
    assertThat(table.properties())
        .containsEntry("finalization.watermark-ms", "10")
        .containsEntry("finalization.epoch", "1");
    append(table, 30, 0);
    assertThat(table.properties()).containsEntry("finalization.watermark-ms", "10");
  }

  @Test
  void staleHandleCannotUndoALaterWatermark() {
    create();
    Table stale = catalog.loadTable(EVENTS);
    append(another().loadTable(EVENTS), 20, 0);
    append(stale, 10, 0);
    assertThat(stale.properties()).containsEntry("finalization.watermark-ms", "20");
    assertThat(stale.snapshots()).hasSize(2);
  }

  @Test
  void concurrentAppendsLeaveTheGreatestWatermark() throws Exception {
    create();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Callable<Void>> appends = new ArrayList<>();
      for (int i = 1; i <= 20; i++) {
        long watermark = i % 2 == 0 ? i : 21 - i;
        appends.add(
            () -> {
              append(another().loadTable(EVENTS), watermark, 0);
              return null;
            });
      }
      for (Future<Void> done : threads.invokeAll(appends)) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
    Table table = another().loadTable(EVENTS);
    assertThat(table.snapshots()).hasSize(20);
    assertThat(table.properties()).containsEntry("finalization.watermark-ms", "20");
  }

  @Test
  void rollbackLeavesThePropertyAheadForReadersToSee() {
    Table table = create();
    append(table, 10, 0);
    long first = table.currentSnapshot().snapshotId();
    append(table, 20, 0);
    table.manageSnapshots().rollbackTo(first).commit();
    assertThat(table.properties()).containsEntry("finalization.watermark-ms", "20");
  }

  @Test
  void commitOnARolledBackTableDoesNotHideTheRollback() {
    Table table = create();
    append(table, 10, 0);
    long first = table.currentSnapshot().snapshotId();
    append(table, 10, 0);
    Map<String, String> published = table.properties();
    table.manageSnapshots().rollbackTo(first).commit();

    append(table, 10, 0);
    assertThat(table.properties()).isEqualTo(published);
    append(table, 20, 0);
    assertThat(table.properties()).isEqualTo(published);

    append(table, 15, 1);
    assertThat(table.properties()).containsEntry("finalization.watermark-ms", "15");
  }

  @Test
  void commitToABranchLeavesThePropertyAlone() {
    Table table = create();
    append(table, 10, 0);
    table.manageSnapshots().createBranch("audit").commit();
    AppendFiles append = withKeys(table.newAppend(), 20, 0);
    append.toBranch("audit");
    append.commit();
    assertThat(table.properties()).containsEntry("finalization.watermark-ms", "10");
  }

  @Test
  void unreadablePropertyIsNoObstacle() {
    Table table = create();
    table
        .updateProperties()
        .set("finalization.policy", "whatever")
        .set("finalization.watermark-ms", "soon")
        .commit();
    append(table, 10, 0);
    assertThat(table.properties())
        .containsEntry("finalization.watermark-ms", "10")
        .containsEntry("finalization.policy", "min;1;PT0S;PT1H");
  }

  @Test
  void transactionOfALoadedTableCarries() {
    Table table = create();
    int versions = versions(table);
    Transaction transaction = catalog.loadTable(EVENTS).newTransaction();
    withKeys(transaction.newAppend(), 10, 0).commit();
    transaction.updateProperties().set("owner", "somebody").commit();
    transaction.commitTransaction();

    assertThat(versions(table)).isEqualTo(versions + 1);
    assertThat(table.properties())
        .containsEntry("finalization.watermark-ms", "10")
        .containsEntry("owner", "somebody");
  }

  @Test
  void everyWayToATableCarries() {
    TableIdentifier built = EmbeddedCatalog.identifier("built");
    append(
        catalog.buildTable(built, EmbeddedCatalog.EVENTS).withProperty("a", "b").create(), 10, 0);
    assertThat(another().loadTable(built).properties())
        .containsEntry("finalization.watermark-ms", "10")
        .containsEntry("a", "b");

    TableIdentifier brief = EmbeddedCatalog.identifier("brief");
    append(catalog.createTable(brief, EmbeddedCatalog.EVENTS), 20, 0);
    assertThat(another().loadTable(brief).properties())
        .containsEntry("finalization.watermark-ms", "20");

    TableIdentifier selected = EmbeddedCatalog.identifier("selected");
    catalog.buildTable(selected, EmbeddedCatalog.EVENTS).createTransaction().commitTransaction();
    append(catalog.loadTable(selected), 30, 0);
    assertThat(another().loadTable(selected).properties())
        .containsEntry("finalization.watermark-ms", "30");
  }

  @Test
  void replacedTableStaysBehindWhatWasPublishedUntilALaterEpoch() {
    append(create(), 10, 0);
    catalog
        .buildTable(EVENTS, EmbeddedCatalog.EVENTS)
        .createOrReplaceTransaction()
        .commitTransaction();
    append(catalog.loadTable(EVENTS), 20, 0);
    assertThat(another().loadTable(EVENTS).properties())
        .containsEntry("finalization.watermark-ms", "10");

    append(catalog.loadTable(EVENTS), 20, 1);
    assertThat(another().loadTable(EVENTS).properties())
        .containsEntry("finalization.watermark-ms", "20");
  }

  @Test
  void namespacesAndTablesAreThoseOfTheCatalogInside() {
    create();
    assertThat(catalog.tableExists(EVENTS)).isTrue();
    assertThat(catalog.listTables(Namespace.of("db"))).containsExactly(EVENTS);
    assertThat(catalog.listNamespaces()).contains(Namespace.of("db"));
    assertThat(catalog.dropTable(EVENTS)).isTrue();
    assertThat(catalog.tableExists(EVENTS)).isFalse();
  }

  @Test
  void commitDecidedOnTheHeadIsMadeAndItsStateShowsInTheProperties() {
    Table table = create();
    int versions = versions(table);
    basedOn(table, "none").set("tidemark.state.job", "one").commit();
    String first = Long.toString(table.currentSnapshot().snapshotId());
    basedOn(table, first).set("tidemark.state.job", "two").commit();

    assertThat(versions(table)).isEqualTo(versions + 2);
    assertThat(table.properties()).containsEntry("tidemark.state.job", "two");
    assertThat(FinalityCatalog.carries(table)).isTrue();
  }

  @Test
  void stateGoesOnThroughWhatAnAdministratorSays() {
    Table table = create();
    withKeys(table.newAppend(), 10, 0)
        .set("tidemark.state.job", "one")
        .set("tidemark.state.flag", "set")
        .commit();
    withKeys(table.newAppend(), 20, 0).set("tidemark.state.job", "two").commit();
    FinalizationAdmin.of(table).reset();

    table.refresh();
    assertThat(table.currentSnapshot().summary())
        .containsEntry("finalization.epoch", "1")
        .containsEntry("tidemark.state.job", "two")
        .containsEntry("tidemark.state.flag", "set")
        .doesNotContainKeys(JobState.SNAPSHOT_ID, JobState.SNAPSHOT_TIME_MS);
    assertThat(table.properties())
        .containsEntry("tidemark.state.job", "two")
        .containsEntry("tidemark.state.flag", "set")
        .containsEntry(JobState.SNAPSHOT_ID, Long.toString(table.currentSnapshot().snapshotId()));
  }

  @Test
  void stateOfACommitThatWasRolledBackGivesWayToThatOfTheAncestry() {
    Table table = create();
    table.newAppend().commit();
    long none = table.currentSnapshot().snapshotId();
    table.newAppend().set("tidemark.state.job", "one").commit();
    long one = table.currentSnapshot().snapshotId();
    table.newAppend().set("tidemark.state.flag", "set").set("tidemark.state.job", "two").commit();

    table.manageSnapshots().rollbackTo(one).commit();
    table.newAppend().commit();
    assertThat(table.properties())
        .containsEntry("tidemark.state.job", "one")
        .doesNotContainKey("tidemark.state.flag");

    table.manageSnapshots().rollbackTo(none).commit();
    table.newAppend().commit();
    assertThat(JobState.names(table.properties())).isEmpty();
  }

  @Test
  void commitDecidedOnAnotherSnapshotIsRefused() {
    Table table = create();
    table.newAppend().commit();
    String first = Long.toString(table.currentSnapshot().snapshotId());
    another().loadTable(EVENTS).newAppend().commit();

    for (String basis : List.of(first, "none", "4711")) {
      AppendFiles stale = basedOn(table, basis).set("tidemark.state.job", "one");
      assertThatThrownBy(stale::commit)
          .isInstanceOf(MovedTableException.class)
          .hasMessageContaining("decided on snapshot " + basis);
    }
    table.refresh();
    assertThat(table.snapshots()).hasSize(2);
    assertThat(table.properties()).doesNotContainKey("tidemark.state.job");
  }

  @Test
  void rewriteBetweenTheBasisAndTheCommitIsNoObstacle() {
    Table table = create();
    table.newAppend().commit();
    String first = Long.toString(table.currentSnapshot().snapshotId());
    another().loadTable(EVENTS).rewriteManifests().clusterBy(file -> "all").commit();
    assertThat(another().loadTable(EVENTS).currentSnapshot().operation()).isEqualTo("replace");

    basedOn(table, first).commit();
    assertThat(table.snapshots()).hasSize(3);
  }

  private static AppendFiles basedOn(Table table, String basis) {
    return table.newAppend().set(FinalityCatalog.BASED_ON, basis);
  }

  private FinalityCatalog another() {
    FinalityCatalog opened = new FinalityCatalog();
    opened.setConf(new Configuration());
    opened.initialize("lake", properties());
    return opened;
  }

  private Table create() {
    return catalog.createTable(
        EVENTS,
        EmbeddedCatalog.EVENTS,
        PartitionSpec.unpartitioned(),
        Map.of(
            "commit.retry.num-retries", "100",
            "commit.retry.min-wait-ms", "1",
            "commit.retry.max-wait-ms", "20"));
  }

  private static void append(Table table, long watermark, int epoch) {
    withKeys(table.newAppend(), watermark, epoch).commit();
  }

  private static AppendFiles withKeys(AppendFiles append, long watermark, int epoch) {
    if (epoch > 0) {
      append.set("finalization.epoch", Integer.toString(epoch));
    }
    return append
        .set("finalization.format", "1")
        .set("finalization.policy", "min;1;PT0S;PT1H")
        .set("finalization.from-ms", "0")
        .set("finalization.evidence", "estimate")
        .set("finalization.watermark-ms", Long.toString(watermark));
  }

  private static int versions(Table table) {
    table.refresh();
    return ((HasTableOperations) table).operations().current().previousFiles().size();
  }
}
