package dev.tidemark.integration.iceberg;

import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.iceberg.EmbeddedCatalog;
import dev.tidemark.iceberg.IcebergFinality;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.flink.CatalogLoader;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.SinkUtil;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.SnapshotUtil;

/** A table of a test's own catalog, its {@link Faults}, and what is in it. */
public final class TestTable {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final EmbeddedCatalog catalog;
  private final String name;

  private TestTable(EmbeddedCatalog catalog, String name) {
    this.catalog = catalog;
    this.name = name;
  }

  /** A table of events, unpartitioned. */
  public static TestTable create(Path directory) throws IOException {
    return create(directory, Map.of());
  }

  /** A table of events, unpartitioned, with properties. */
  public static TestTable create(Path directory, Map<String, String> properties)
      throws IOException {
    return create(directory, EmbeddedCatalog.EVENTS, PartitionSpec.unpartitioned(), properties);
  }

  /** Any table. Its commits are tried again without long waits. */
  public static TestTable create(
      Path directory, Schema schema, PartitionSpec spec, Map<String, String> properties)
      throws IOException {
    EmbeddedCatalog catalog = EmbeddedCatalog.in(directory);
    Map<String, String> all = new HashMap<>();
    all.put(TableProperties.COMMIT_MIN_RETRY_WAIT_MS, "1");
    all.put(TableProperties.COMMIT_MAX_RETRY_WAIT_MS, "10");
    all.putAll(properties);
    String name = "events_" + NUMBER.incrementAndGet();
    catalog.create(name, schema, spec, all);
    return new TestTable(catalog, name);
  }

  /** What a job loads the table with; its commits go through the {@link #faults}. */
  public TableLoader loader() {
    return TableLoader.fromCatalog(
        CatalogLoader.custom(
            "test", catalog.properties(), new Configuration(), FaultyCatalog.class.getName()),
        EmbeddedCatalog.identifier(name));
  }

  /** What goes wrong with commits to the table. */
  public Faults faults() {
    return Faults.of(catalog.properties().get(CatalogProperties.URI), name);
  }

  /** The table's name, without its namespace. */
  public String name() {
    return name;
  }

  /** A handle of its own, of now. */
  public Table load() {
    return catalog.load(name);
  }

  /** Every row, in no order. */
  public List<Record> records() {
    return records(load().currentSnapshot());
  }

  /** Every row as of a snapshot, in no order. */
  public List<Record> records(Snapshot snapshot) {
    List<Record> records = new ArrayList<>();
    if (snapshot == null) {
      return records;
    }
    try (CloseableIterable<Record> rows =
        IcebergGenerics.read(load()).useSnapshot(snapshot.snapshotId()).build()) {
      rows.forEach(records::add);
      return records;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The ids of every row, sorted; an id that is there twice comes twice. */
  public List<Long> ids() {
    return records().stream().map(row -> (Long) row.getField("id")).sorted().toList();
  }

  /** The commits of checkpoints on main, oldest first. */
  public List<Snapshot> commits() {
    return ancestry().stream()
        .filter(s -> s.summary().containsKey(SinkUtil.MAX_COMMITTED_CHECKPOINT_ID))
        .toList();
  }

  /** All snapshots on main, oldest first. */
  public List<Snapshot> ancestry() {
    Table table = load();
    List<Snapshot> snapshots = new ArrayList<>();
    SnapshotUtil.currentAncestors(table).forEach(snapshot -> snapshots.add(0, snapshot));
    return snapshots;
  }

  /** Waits until main has this many commits of checkpoints. */
  public void awaitCommits(int count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> commits().size() >= count);
  }

  /** How many metadata versions there were, the present one included. */
  public int metadataVersions() {
    BaseTable table = (BaseTable) load();
    return table.operations().current().previousFiles().size() + 1;
  }

  /** What a reader of finality sees. */
  public TableFinality finality() {
    return IcebergFinality.of(load()).read();
  }

  /** The table's properties. */
  public Map<String, String> properties() {
    return load().properties();
  }
}
