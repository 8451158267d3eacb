package dev.tidemark.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Objects;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LongHistoryTest {
  @Test
  void commitLooksAtAsManySnapshotsHoweverLongTheHistoryIs(@TempDir Path directory) {
    TestCatalog catalog = TestCatalog.hadoop(directory);
    long brief = snapshotsReadByACommit(catalog, "brief", 10);
    long endless = snapshotsReadByACommit(catalog, "endless", 10_000);
    assertThat(endless).isEqualTo(brief).isLessThan(10);
  }

  @Test
  void readerLooksAtAsManySnapshotsHoweverLongTheHistoryIs(@TempDir Path directory) {
    TestCatalog catalog = TestCatalog.hadoop(directory);
    Counting table = grown(catalog, "events", 2_000);
    assertThat(IcebergFinality.of(table).read().opinion()).isNotNull();
    assertThat(table.read).isLessThan(10);
  }

  private static long snapshotsReadByACommit(TestCatalog catalog, String name, int snapshots) {
    Counting table = grown(catalog, name, snapshots);
    EventWriter writer = EventWriter.start(table, "w");
    writer.write("11:05");
    long before = table.read;
    writer.write("12:05");
    assertThat(TableContract.watermark(table.currentSnapshot())).isEqualTo("12:00");
    assertThat(table.snapshots()).hasSizeGreaterThan(snapshots);
    return table.read - before;
  }

  /** A table with that many snapshots of other engines, and then one with an opinion. */
  private static Counting grown(TestCatalog catalog, String name, int snapshots) {
    Table table = catalog.create(name);
    TestFiles.append(table, TestFiles.of(table, "09:05"));
    TableOperations operations = ((HasTableOperations) table).operations();
    TableMetadata base = operations.refresh();
    TableMetadata.Builder grown = TableMetadata.buildFrom(base);
    Snapshot first = Objects.requireNonNull(base.currentSnapshot());
    long parent = first.snapshotId();
    for (int i = 1; i < snapshots; i++) {
      Snapshot next = child(first, parent, i);
      grown.setBranchSnapshot(next, "main");
      parent = next.snapshotId();
    }
    operations.commit(base, grown.build());
    EventWriter.start(catalog.load(name), "w").write("10:05");
    return new Counting(catalog.load(name));
  }

  private static Snapshot child(Snapshot first, long parent, int i) {
    return SnapshotParser.fromJson(
        """
        {"snapshot-id": %d, "parent-snapshot-id": %d, "sequence-number": %d, "timestamp-ms": %d,
         "summary": {"operation": "append"}, "manifest-list": "%s", "schema-id": 0}"""
            .formatted(
                1_000_000L + i,
                parent,
                first.sequenceNumber() + i,
                first.timestampMillis(),
                first.manifestListLocation()));
  }

  /** Counts the snapshots that were looked up by their id, as a walk along the ancestry does. */
  private static final class Counting extends BaseTable {
    private long read;

    Counting(Table table) {
      super(((HasTableOperations) table).operations(), table.name());
    }

    @Override
    public Snapshot snapshot(long snapshotId) {
      read++;
      return super.snapshot(snapshotId);
    }
  }
}
