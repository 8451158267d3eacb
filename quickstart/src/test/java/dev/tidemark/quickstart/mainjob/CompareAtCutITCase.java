package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.WriterState;
import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.json.JsonText;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedMariaDb;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericAppenderFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code compare} of a base table with MariaDB at the base table's watermark, where either side has
 * changes that the other has not seen. Spark lives in New York, the server elsewhere.
 */
@NullUnmarked
class CompareAtCutITCase {
  private static final String CUT = "2026-03-01T12:00:00Z";
  private static final TableIdentifier LEDGER = TableIdentifier.of("shop", "payments_ledger");
  private static final TableIdentifier BASE = TableIdentifier.of("shop", "payments");
  private static final LedgerSchema LEDGER_SCHEMA =
      LedgerSchema.of(
          new TableId("shop", "payments"),
          List.of(Column.required("id", ColumnType.of(ColumnType.Kind.INT64))));
  private static final Schema BASE_SCHEMA =
      new Schema(
          NestedField.optional(1, "id", Types.LongType.get()),
          NestedField.optional(2, "state", Types.StringType.get()),
          NestedField.optional(3, "amount", Types.DecimalType.of(10, 2)),
          NestedField.optional(4, "touched", Types.TimestampType.withZone()),
          NestedField.optional(5, "cdc_ord", Types.StringType.get()),
          NestedField.optional(6, "cdc_source_time", Types.TimestampType.withZone()),
          NestedField.optional(7, "cdc_deleted", Types.BooleanType.get()));

  /** Where every row stood when both sides were equal. */
  private static final String BEGIN = "2026-03-01T10:00:00Z";

  @TempDir static Path directory;

  private static EmbeddedIcebergCatalog catalog;
  private static EmbeddedMariaDb server;
  private static Connection database;
  private static SparkShell spark;
  private static long offset;

  @BeforeAll
  static void start() throws Exception {
    catalog = EmbeddedIcebergCatalog.in(directory);
    spark = SparkShell.start(catalog, directory, Map.of("SOURCE_PASSWORD", EmbeddedMariaDb.USER));
    server = EmbeddedMariaDb.start();
    database = server.connect("shop");
    execute("SET GLOBAL time_zone = '+05:30'");
  }

  @AfterAll
  static void stop() throws Exception {
    spark.close();
    database.close();
    server.close();
    catalog.close();
  }

  @Test
  void whatEitherSideChangedSinceTheCutIsLeftOutAndWhatDiffersBeforeItIsFound() throws Exception {
    execute(
        "CREATE TABLE shop.payments (id BIGINT NOT NULL PRIMARY KEY, state VARCHAR(40) NOT NULL, amount DECIMAL(10, 2) NOT NULL, touched TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6))");
    PartitionSpec byId = PartitionSpec.builderFor(BASE_SCHEMA).bucket("id", 1).build();
    catalog.create(BASE, BASE_SCHEMA, byId);
    Table ledger = catalog.create(LEDGER, LEDGER_SCHEMA.schema(), LEDGER_SCHEMA.partitionSpec(1));
    List<Record> changes = new ArrayList<>();
    for (long id = 1; id <= 6; id++) {
      execute(insert(id, "paid", BEGIN));
      changes.add(change(ledger, "I", id, "paid", BEGIN));
    }
    // Seen by the database alone.
    update(2, "'late <b>'", CUT);
    execute(insert(7, "new", "2026-03-01T12:30:00Z"));
    update(3, "'missed <i>'", "2026-03-01T11:59:59.999999Z");
    execute(insert(8, "lost", "2026-03-01T11:00:00Z"));
    // Seen by the base table alone.
    changes.add(change(ledger, "U", 4, "later", "2026-03-01T12:30:00Z"));
    changes.add(change(ledger, "U", 5, "never", "2026-03-01T11:00:00Z"));
    changes.add(change(ledger, "D", 6, null, "2026-03-01T12:30:00Z"));
    append(ledger, changes);
    SparkShell.Result merged = spark.run("merge", "--base", name(BASE), "--ledgers", name(LEDGER));
    assertThat(merged.output()).contains("merged 9 changes").contains(CUT);

    SparkShell.Result result = compare("json", "--reference-changed-at", "touched");
    assertThat(result.exit()).isEqualTo(1);
    JsonNode report = new ObjectMapper().readTree(result.output());
    assertThat(report.get("base").asText()).isEqualTo(name(BASE));
    assertThat(report.get("reference").asText())
        .isEqualTo("shop.payments of jdbc:mariadb://127.0.0.1:%d/shop".formatted(server.port()));
    assertThat(report.get("cut").asText()).isEqualTo(CUT);
    assertThat(report.get("clean").asBoolean(true)).isFalse();
    assertThat(report.get("baseRows").asLong()).isEqualTo(5);
    assertThat(report.get("referenceRows").asLong()).isEqualTo(8);
    assertThat(report.get("settled").asLong()).as("1, 3 and 5 of both, 8 of one").isEqualTo(7);
    assertThat(keys(report, "AFTER_CUT")).containsExactly(2L, 4L, 6L, 7L);
    assertThat(keys(report, "STALE")).containsExactly(3L);
    assertThat(keys(report, "DIFFERS")).containsExactly(5L);
    assertThat(keys(report, "MISSING")).containsExactly(8L);
    assertThat(keys(report, "EXTRA")).isEmpty();

    SparkShell.Result page = compare("html", "--reference-changed-at", "touched");
    assertThat(page.output())
        .contains("<h1>3 WRONG KEYS", "missed &lt;i&gt;", "late &lt;b&gt;")
        .doesNotContain("<i>", "<b>");
    assertThat(compare("text").output())
        .as("without a time of the database")
        .startsWith("5 WRONG KEYS")
        .containsPattern("AFTER_CUT +2\n");

    // Mended before the cut: what is left differs only since.
    update(3, "'paid'", BEGIN);
    update(5, "'never'", "2026-03-01T11:00:00Z");
    execute("DELETE FROM shop.payments WHERE id = 8");
    SparkShell.Result clean = compare("text", "--reference-changed-at", "touched");
    assertThat(clean.output()).startsWith("CLEAN").containsPattern("AFTER_CUT +4\n");
    assertThat(clean.exit()).isZero();
  }

  private static SparkShell.Result compare(String format, String... more) throws Exception {
    List<String> words = new ArrayList<>(List.of("compare", "--base", name(BASE), "--key", "id"));
    words.addAll(List.of("--cut", CUT, "--format", format, "--table", "shop.payments"));
    words.addAll(List.of("--url", url(), "--user", EmbeddedMariaDb.USER));
    words.addAll(List.of("--password-env", "SOURCE_PASSWORD"));
    words.addAll(List.of(more));
    return spark.run(words.toArray(String[]::new));
  }

  private static List<Long> keys(JsonNode report, String kind) throws Exception {
    List<Long> keys = new ArrayList<>();
    for (JsonNode sample : report.get("samples")) {
      if (sample.get("kind").asText().equals(kind)) {
        keys.add(new ObjectMapper().readTree(sample.get("key").asText()).get("id").asLong());
      }
    }
    assertThat(report.get("found").get(kind).asLong()).as(kind).isEqualTo(keys.size());
    return keys;
  }

  private static String url() {
    return "jdbc:mariadb://127.0.0.1:%d/shop?sslMode=disable".formatted(server.port());
  }

  private static String name(TableIdentifier table) {
    return catalog.name() + "." + table;
  }

  private static String insert(long id, String state, String touched) {
    return "INSERT INTO shop.payments VALUES (%d, '%s', 1.00, %s)"
        .formatted(id, state, time(touched));
  }

  private static void update(long id, String state, String touched) throws SQLException {
    execute(
        "UPDATE shop.payments SET state = %s, touched = %s WHERE id = %d"
            .formatted(state, time(touched), id));
  }

  /** For a session whose time zone is UTC. */
  private static String time(String instant) {
    return "'" + instant.replace('T', ' ').replace("Z", "") + "'";
  }

  private static void execute(String sql) throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute("SET time_zone = '+00:00'");
      statement.execute(sql);
    }
  }

  private static Record change(Table ledger, String op, long id, String state, String time) {
    Instant at = Instant.parse(time);
    Map<String, Object> image = new LinkedHashMap<>();
    image.put("id", id);
    image.put("state", state);
    image.put("amount", "1.00");
    image.put("touched", at);
    Record row = GenericRecord.create(ledger.schema());
    row.setField("cdc_event_time", at.atOffset(ZoneOffset.UTC));
    row.setField("cdc_source_time", at.atOffset(ZoneOffset.UTC));
    row.setField("op", op);
    row.setField("pk_hash", id);
    row.setField("id", id);
    row.setField("after_image", op.equals("D") ? null : JsonText.of(image));
    row.setField("cdc_ord", new ChangeOrder(1 + offset, 1, 0, offset).cdcOrd());
    row.setField("cdc_snapshot", false);
    row.setField("cdc_resent", false);
    row.setField("cdc_key_changed", false);
    row.setField("kafka_topic", "shop");
    row.setField("kafka_partition", 0);
    row.setField("kafka_offset", offset++);
    return row;
  }

  /** One commit as the ledger's job makes it, with a watermark at the cut. */
  private static void append(Table ledger, List<Record> changes) throws Exception {
    AppendFiles append = ledger.newAppend();
    for (Record change : changes) {
      PartitionKey partition = new PartitionKey(ledger.spec(), ledger.schema());
      partition.partition(new InternalRecordWrapper(ledger.schema().asStruct()).wrap(change));
      String path = ledger.locationProvider().newDataLocation(UUID.randomUUID() + ".parquet");
      DataWriter<Record> writer =
          new GenericAppenderFactory(ledger.schema(), ledger.spec())
              .newDataWriter(
                  EncryptedFiles.encryptedOutput(
                      ledger.io().newOutputFile(path), EncryptionKeyMetadata.EMPTY),
                  FileFormat.PARQUET,
                  partition);
      try (writer) {
        writer.write(change);
      }
      append.appendFile(writer.toDataFile());
    }
    FinalizationProperties.write(opinion()).forEach(append::set);
    append.commit();
  }

  private static Opinion opinion() {
    long watermark = Instant.parse(CUT).toEpochMilli();
    WriterState writer =
        new WriterState(watermark, Evidence.ESTIMATE, null, "min", CommitWindow.EMPTY);
    return new Opinion(
        new FinalizationWatermark(
            Instant.parse(BEGIN).toEpochMilli(), watermark, Evidence.ESTIMATE),
        PolicyText.parse("min;1;PT0S;PT1H"),
        null,
        0,
        false,
        new TreeMap<>(Map.of("payments", writer)),
        ReopenedGranules.NONE);
  }
}
