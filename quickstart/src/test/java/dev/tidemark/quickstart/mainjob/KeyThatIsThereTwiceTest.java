package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericAppenderFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.io.DataWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What reads base tables for a comparison by key does not hide a row behind another. */
class KeyThatIsThereTwiceTest {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void flightsAreNotRead() throws Exception {
    try (EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(directory)) {
      Table base = create(catalog, BaseTable.TABLE, BaseTable.SCHEMA);
      append(base, Map.of("id", 1, "cdc_deleted", false));
      append(base, Map.of("id", 1, "cdc_deleted", true));
      append(base, Map.of("id", 2, "cdc_deleted", false));
      assertThat(BaseTable.rows(base)).containsOnlyKeys(1, 2);
      append(base, Map.of("id", 1, "cdc_deleted", false));
      assertThatThrownBy(() -> BaseTable.rows(base))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(base.name() + ": id 1 is there twice (expected: once)");
    }
  }

  @Test
  void ordersAreNotRead() throws Exception {
    try (EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(directory)) {
      Table base = create(catalog, TableIdentifier.of("shop", "orders"), Orders.BASE);
      append(base, Map.of("id", 1L, "cdc_deleted", false));
      append(base, Map.of("id", 2L, "cdc_deleted", false));
      assertThat(Orders.rows(base)).containsOnlyKeys(1L, 2L);
      append(base, Map.of("id", 1L, "cdc_deleted", false));
      assertThatThrownBy(() -> Orders.rows(base))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(base.name() + ": id 1 is there twice (expected: once)");
    }
  }

  private static Table create(EmbeddedIcebergCatalog catalog, TableIdentifier name, Schema schema) {
    return catalog.create(name, schema, PartitionSpec.unpartitioned());
  }

  private static void append(Table table, Map<String, Object> values) throws IOException {
    GenericRecord row = GenericRecord.create(table.schema());
    values.forEach(row::setField);
    DataWriter<Record> writer =
        new GenericAppenderFactory(table.schema(), table.spec())
            .newDataWriter(
                EncryptedFiles.encryptedOutput(
                    table
                        .io()
                        .newOutputFile(
                            table
                                .locationProvider()
                                .newDataLocation(UUID.randomUUID() + ".parquet")),
                    EncryptionKeyMetadata.EMPTY),
                FileFormat.PARQUET,
                null);
    try (writer) {
      writer.write(row);
    }
    table.newAppend().appendFile(writer.toDataFile()).commit();
  }
}
