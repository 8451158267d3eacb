package dev.tidemark.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.accumulator.AccumulatorSet;
import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.Mirror;
import dev.tidemark.iceberg.commit.CommitPlan;
import dev.tidemark.iceberg.commit.CommitResult;
import dev.tidemark.iceberg.commit.TableCommit;
import dev.tidemark.iceberg.commit.TableCommitter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.io.WriteResult;
import org.apache.iceberg.types.Types;

/**
 * A table with a number of snapshots that takes one more commit, and is then set back to what it
 * was. The newest eight snapshots are commits of a finalizing writer, whose window is full; those
 * beneath are copies of one commit, put into the metadata directly.
 */
final class HistoryTable {
  private static final int REAL_COMMITS = 8;
  private static final int ROWS = 100_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Table table;
  private final TableOperations operations;
  private final TableCommitter committer;
  private final Map<String, byte[]> facts;
  private final DataFile file;
  private final TableMetadata base;
  private long checkpoint;

  private HistoryTable(Table table, int snapshots, boolean withFacts)
      throws CommitAbortedException {
    this.table = table;
    this.operations = ((HasTableOperations) table).operations();
    Accumulators<Trip> accumulators = accumulators();
    this.committer = new TableCommitter(table, plan(accumulators), Clock.systemUTC(), null);
    this.facts = facts(accumulators);
    this.file = file(table);
    if (withFacts) {
      committer.start();
      commit();
    } else {
      append();
    }
    copyHead(snapshots - REAL_COMMITS - snapshotsOf(table));
    committer.start();
    while (snapshotsOf(table) < snapshots) {
      commit();
    }
    this.base = operations.current();
  }

  /**
   * A table with this many snapshots.
   *
   * @param withFacts whether the copied snapshots carry facts and opinion, as those of a writer do
   */
  static HistoryTable create(LocalTables tables, String name, int snapshots, boolean withFacts)
      throws CommitAbortedException {
    return new HistoryTable(tables.create(name, OrderRows.SCHEMA, Map.of()), snapshots, withFacts);
  }

  /** Appends the file as Iceberg alone does. */
  void append() {
    table.newAppend().appendFile(file).commit();
  }

  /** Appends the file with facts, opinion and mirror. */
  void commit() throws CommitAbortedException {
    CommitResult result =
        committer.commit(
            new TableCommit(
                new TableCommit.Identity(
                    CommitId.random(), ++checkpoint, System.currentTimeMillis(), false),
                TableCommit.Files.of(WriteResult.builder().addDataFiles(file).build()),
                new TableCommit.Counted(facts, null, false),
                Map.of()),
            false);
    if (!(result instanceof CommitResult.Committed)) {
      throw new IllegalStateException("Invalid result: " + result + " (expected: Committed)");
    }
  }

  /**
   * Whether the last commit is on top of the whole history and its mirror shows a watermark.
   *
   * @throws IllegalStateException if not
   */
  void verify(boolean finalizing) {
    Mirror mirror = Mirror.of(table.properties());
    Long shown = mirror.snapshotId();
    boolean showsHead = shown != null && shown == table.currentSnapshot().snapshotId();
    if (snapshotsOf(table) != base.snapshots().size() + 1
        || mirror.watermarkMillis() == null
        || showsHead != finalizing) {
      throw new IllegalStateException(
          "Invalid table: %d snapshots, %s (expected: %d, a watermark, %s the head)"
              .formatted(
                  snapshotsOf(table),
                  mirror,
                  base.snapshots().size() + 1,
                  finalizing ? "of" : "not of"));
    }
  }

  /** Undoes the last commit. */
  void setBack() {
    TableMetadata current = operations.refresh();
    if (current == base) {
      return;
    }
    operations.commit(current, base);
    table.refresh();
    // A metadata file of a long history has many megabytes.
    operations.io().deleteFile(current.metadataFileLocation());
  }

  /** The size of the metadata file. */
  long metadataBytes() {
    return operations.io().newInputFile(operations.current().metadataFileLocation()).getLength();
  }

  private void copyHead(int copies) {
    if (copies <= 0) {
      return;
    }
    TableMetadata current = operations.refresh();
    TableMetadata.Builder longer = TableMetadata.buildFrom(current);
    Snapshot head = current.currentSnapshot();
    for (int i = 0; i < copies; i++) {
      head = childLike(head);
      longer.setBranchSnapshot(head, SnapshotRef.MAIN_BRANCH);
    }
    operations.commit(current, longer.build());
    table.refresh();
  }

  private Snapshot childLike(Snapshot parent) {
    try {
      ObjectNode json = (ObjectNode) JSON.readTree(SnapshotParser.toJson(parent));
      json.put("snapshot-id", operations.newSnapshotId());
      json.put("parent-snapshot-id", parent.snapshotId());
      json.put("sequence-number", parent.sequenceNumber() + 1);
      return SnapshotParser.fromJson(json.toString());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot copy snapshot " + parent, e);
    }
  }

  private static int snapshotsOf(Table table) {
    return ((HasTableOperations) table).operations().current().snapshots().size();
  }

  private static Accumulators<Trip> accumulators() {
    return new Accumulators<>(
        List.of(
            new EventTimeAccumulatorFactory<>(
                new Trip.NullableColumn(),
                Granularity.HOUR,
                EventTimeBounds.DEFAULT,
                () -> EventTimes.CLOCK)));
  }

  private static Map<String, byte[]> facts(Accumulators<Trip> accumulators) {
    AccumulatorSet<Trip> counting = accumulators.create();
    for (Trip trip : Trip.allAt(EventTimes.of(EventTimes::logNormalLag, ROWS, 1))) {
      counting.add(trip);
    }
    return accumulators.merge(List.of(counting.drain()));
  }

  private static CommitPlan plan(Accumulators<Trip> accumulators) {
    Types.NestedField column = OrderRows.SCHEMA.findField(OrderRows.EVENT_TIME);
    return CommitPlan.builder()
        .accumulators(accumulators)
        .finalization(
            FinalizationConfig.forWriter("orders")
                .lookback(6, Duration.ZERO)
                .readFromBeginning()
                .build())
        .eventTimeColumn(
            Map.of(
                Mirror.EVENT_TIME_FIELD_ID,
                Integer.toString(column.fieldId()),
                Mirror.EVENT_TIME_TYPE,
                column.type().toString()))
        .build();
  }

  /** The entry of a file; nobody reads its rows. */
  private static DataFile file(Table table) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(table.location() + "/data/rows.parquet")
        .withRecordCount(ROWS)
        .withFileSizeInBytes(10_000_000)
        .build();
  }
}
