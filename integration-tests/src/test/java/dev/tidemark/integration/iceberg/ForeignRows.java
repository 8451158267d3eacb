package dev.tidemark.integration.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;

/** What other engines do to an unpartitioned table of events: real files, no finalization. */
final class ForeignRows {
  private ForeignRows() {}

  /** Appends the rows of these ids, each at its minute. */
  static void append(Table table, List<Long> ids) {
    List<Record> rows =
        ids.stream()
            .map(
                id -> {
                  Record row = GenericRecord.create(table.schema());
                  row.set(0, id);
                  row.set(1, Events.timeOf(id).atOffset(ZoneOffset.UTC));
                  row.set(2, id.intValue());
                  return row;
                })
            .toList();
    table.newAppend().appendFile(file(table, rows)).commit();
  }

  /** Rewrites all files into one. */
  static void compact(TestTable source) {
    Table table = source.load();
    RewriteFiles rewrite = table.newRewrite();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(task -> rewrite.deleteFile(task.file()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rewrite
        .addFile(file(table, source.records()))
        .validateFromSnapshot(table.currentSnapshot().snapshotId())
        .commit();
  }

  private static DataFile file(Table table, List<Record> rows) {
    String path = table.locationProvider().newDataLocation(UUID.randomUUID() + ".parquet");
    try {
      DataWriter<Record> writer =
          Parquet.writeData(table.io().newOutputFile(path))
              .forTable(table)
              .createWriterFunc(GenericParquetWriter::create)
              .withPartition(null)
              .build();
      try (writer) {
        rows.forEach(writer::write);
      }
      return writer.toDataFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
