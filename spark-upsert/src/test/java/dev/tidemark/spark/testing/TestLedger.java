package dev.tidemark.spark.testing;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.spark.table.TableName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericAppenderFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.jspecify.annotations.Nullable;

/** A real ledger table that a test appends changes to. Its key is one long column, {@code id}. */
public final class TestLedger {
  private final TestLake lake;
  private final TableName name;
  private long offset;

  private TestLedger(TestLake lake, TableName name) {
    this.lake = lake;
    this.name = name;
  }

  /** Creates one with the schema and partitions that the pipeline gives it. */
  public static TestLedger create(TestLake lake, String table, int buckets) {
    LedgerSchema schema =
        LedgerSchema.of(
            new TableId("shop", table),
            List.of(Column.required("id", ColumnType.of(ColumnType.Kind.INT64))));
    TestLedger ledger = new TestLedger(lake, lake.table(table));
    lake.catalog()
        .createTable(ledger.name.identifier(), schema.schema(), schema.partitionSpec(buckets));
    return ledger;
  }

  public TableName name() {
    return name;
  }

  public Table table() {
    return lake.load(name);
  }

  /** Appends changes in one snapshot without an opinion; returns its id. */
  public long append(TestChange... changes) {
    return append(null, Arrays.asList(changes));
  }

  /** Appends changes in one snapshot that carries an opinion; returns its id. */
  public long append(@Nullable Opinion opinion, TestChange... changes) {
    return append(opinion, Arrays.asList(changes));
  }

  /** Appends changes in one snapshot that carries an opinion; returns its id. */
  public long append(@Nullable Opinion opinion, List<TestChange> changes) {
    Table table = table();
    AppendFiles append = table.newAppend();
    files(table, changes).forEach(append::appendFile);
    if (opinion != null) {
      FinalizationProperties.write(opinion).forEach(append::set);
    }
    append.commit();
    table.refresh();
    return table.currentSnapshot().snapshotId();
  }

  /** The sizes of the files that its head is made of, in bytes, sorted. */
  public List<Long> fileSizes() {
    List<Long> sizes = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table().newScan().planFiles()) {
      tasks.forEach(task -> sizes.add(task.file().fileSizeInBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sizes.sort(null);
    return sizes;
  }

  private List<DataFile> files(Table table, List<TestChange> changes) {
    Map<PartitionKey, List<Record>> byPartition = new HashMap<>();
    InternalRecordWrapper wrapper = new InternalRecordWrapper(table.schema().asStruct());
    for (TestChange change : changes) {
      Record row = row(table, change);
      PartitionKey partition = new PartitionKey(table.spec(), table.schema());
      partition.partition(wrapper.wrap(row));
      byPartition.computeIfAbsent(partition, key -> new ArrayList<>()).add(row);
    }
    List<DataFile> files = new ArrayList<>();
    byPartition.forEach((partition, rows) -> files.add(file(table, partition, rows)));
    return files;
  }

  private Record row(Table table, TestChange change) {
    Record row = GenericRecord.create(table.schema());
    int partition = change.key() == null ? 0 : (int) (change.key().hashCode() & 1);
    row.setField("cdc_event_time", change.time().atOffset(ZoneOffset.UTC));
    row.setField("cdc_source_time", change.time().atOffset(ZoneOffset.UTC));
    row.setField("op", change.op());
    if (change.key() != null) {
      row.setField("pk_hash", (long) change.key().hashCode());
      row.setField("id", change.key().get(0));
    }
    row.setField("before_image", TestChange.json(change.before()));
    row.setField("after_image", TestChange.json(change.after()));
    row.setField("cdc_ord", change.cdcOrd(partition, offset));
    row.setField("cdc_snapshot", change.op().equals("R"));
    row.setField("cdc_resent", false);
    row.setField("kafka_topic", "shop");
    row.setField("kafka_partition", partition);
    row.setField("kafka_offset", offset++);
    if (table.schema().findField("cdc_key_changed") != null) {
      row.setField("cdc_key_changed", change.keyChanged());
    }
    return row;
  }

  private static DataFile file(Table table, PartitionKey partition, List<Record> rows) {
    GenericAppenderFactory appenders = new GenericAppenderFactory(table.schema(), table.spec());
    String path = table.locationProvider().newDataLocation(UUID.randomUUID() + ".parquet");
    DataWriter<Record> writer =
        appenders.newDataWriter(
            EncryptedFiles.encryptedOutput(
                table.io().newOutputFile(path), EncryptionKeyMetadata.EMPTY),
            FileFormat.PARQUET,
            partition);
    try (writer) {
      rows.forEach(writer::write);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return writer.toDataFile();
  }
}
