package dev.tidemark.spark.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.json.JsonText;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.ledger.PrimaryKeyHash;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.spark.bootstrap.Bootstrap;
import dev.tidemark.spark.plan.ShuffleFreeSession;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestSession;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of every type that an image has a text for, under a key of two columns. */
class TypesITCase {
  private static final SparkSession SPARK = TestSession.get();

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  TableName ledger;

  @SuppressWarnings("NullAway.Init") // set before each test
  TableName base;

  @BeforeEach
  void create() {
    TestLake lake = TestLake.hadoop(directory);
    ledger = lake.table("ledger");
    base = lake.table("types");
    LedgerSchema schema =
        LedgerSchema.of(
            new TableId("shop", "types"),
            List.of(
                Column.required("shop", ColumnType.of(ColumnType.Kind.INT32)),
                Column.required("code", ColumnType.of(ColumnType.Kind.STRING))));
    lake.catalog().createTable(ledger.identifier(), schema.schema(), schema.partitionSpec(2));
    SPARK.sql(
        """
        CREATE TABLE %s (shop INT, code STRING, b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE,
        dec DECIMAL(20, 4), day DATE, at TIMESTAMP_NTZ, inst TIMESTAMP, text STRING, bin BINARY,
        pk_hash BIGINT, cdc_ord STRING, cdc_source_time TIMESTAMP, cdc_deleted BOOLEAN)
        USING iceberg PARTITIONED BY (bucket(2, pk_hash))"""
            .formatted(base.sql()));
  }

  @Test
  void everyTypeArrivesExactly() {
    append(1, "T'\\1`", image("T'\\1`"));
    assertThat(merge().exchanges()).isZero();
    append(2, "T'\\1`", image("T'\\1`"));
    append(3, "nulls", nulls("nulls"));
    assertThat(merge().exchanges()).isZero();
    Row row = row("code <> 'nulls'");
    assertThat(row.getBoolean(0)).isTrue();
    assertThat(row.getInt(1)).isEqualTo(-5);
    assertThat(row.getLong(2)).isEqualTo(Long.MAX_VALUE);
    assertThat(row.getFloat(3)).isEqualTo(1.1f);
    assertThat(row.getDouble(4)).isEqualTo(1e-300);
    assertThat(row.getDecimal(5)).isEqualTo(new BigDecimal("1234567890123456.7890"));
    assertThat(row.getString(6)).isEqualTo("2024-02-29");
    assertThat(row.<LocalDateTime>getAs(7))
        .isEqualTo(LocalDateTime.parse("2024-02-29T23:59:59.123456"));
    assertThat(row.getLong(8) / 1_000)
        .isEqualTo(Instant.parse("2024-02-29T23:59:59.5Z").toEpochMilli());
    assertThat(row.getString(9)).isEqualTo("Grüße \"'\\\n");
    assertThat(row.<byte[]>getAs(10)).containsExactly(0, -1);
    Row empty = row("code = 'nulls'");
    for (int i = 0; i < empty.size(); i++) {
      assertThat(empty.isNullAt(i)).isTrue();
    }
  }

  @Test
  void hashOfABootstrappedKeyIsThatOfTheLedger() {
    new Bootstrap(SPARK, base, ledger)
        .load(
            new BinlogPosition(new Gtid(0, 1, 1), Instant.EPOCH),
            SPARK.sql(
                """
                SELECT 7 AS shop, 'x' AS code, true AS b, 1 AS i, 1L AS l, 1f AS f, 1d AS d,
                1.5BD AS dec, DATE'2024-01-01' AS day, TIMESTAMP_NTZ'2024-01-01 00:00:00' AS at,
                TIMESTAMP'2024-01-01 00:00:00Z' AS inst, 't' AS text, X'00' AS bin"""));
    append(2, "x", image("x"));
    merge();
    assertThat(SPARK.table(base.toString()).count()).isEqualTo(1);
    assertThat(row("code = 'x'").getInt(1)).isEqualTo(-5);
  }

  @Test
  void everyTypeOfTheBaseTableSurvivesAChangeOfTheKeyThatLeavesItOut() {
    append(1, "x", image("x"));
    append(2, "nulls", nulls("nulls"));
    merge();
    List<Row> before = List.of(row("code = 'x'"), row("code = 'nulls'"));
    SPARK.sql("DELETE FROM " + ledger.sql()); // so that the base table alone knows
    for (String code : List.of("x", "nulls")) {
      long sequence = code.equals("x") ? 3 : 4;
      Map<String, @Nullable Object> key = Map.of("shop", 7L, "code", "new " + code);
      append("D", sequence, 1, code, null, true);
      append("I", sequence, 2, "new " + code, key, true);
    }
    merge();
    assertThat(List.of(row("code = 'new x'"), row("code = 'new nulls'"))).isEqualTo(before);
    assertThat(SPARK.table(base.toString()).where("NOT cdc_deleted").count()).isEqualTo(2);
  }

  /** Spark takes some expressions of a merge from the settings of its driver, some not. */
  @ParameterizedTest
  @CsvSource({
    "spark.sql.legacy.timeParserPolicy, LEGACY",
    "spark.sql.ansi.doubleQuotedIdentifiers, true"
  })
  void textOfATimeIsTheSameWhateverTheSessionSays(String setting, String value) {
    NestedField column = NestedField.optional(1, "inst", Types.TimestampType.withZone());
    String query = "SELECT " + TextCast.text("timestamp_micros(1709251199123456)", column);
    SPARK.conf().set(setting, value);
    try {
      String text =
          ShuffleFreeSession.run(SPARK, Map.of(), () -> SPARK.sql(query).first().getString(0));
      assertThat(text).isEqualTo("2024-02-29T23:59:59.123456Z");
    } finally {
      SPARK.conf().unset(setting);
    }
  }

  @Test
  void valueThatIsNoneOfItsTypeFailsTheMerge() {
    Map<String, String> none =
        Map.of(
            "b",
            "maybe",
            "i",
            "five",
            "l",
            "1.5",
            "f",
            "five",
            "d",
            "five",
            "dec",
            "five",
            "day",
            "2024-02-30",
            "at",
            "noon",
            "inst",
            "2024-02-29T25:00:00Z",
            "bin",
            "!");
    none.forEach((column, text) -> assertRefused(column, text, ""));
    assertThat(SPARK.table(base.toString()).count()).isZero();
  }

  @Test
  void valueBeyondTheRangeOfItsTypeFailsTheMerge() {
    Map<String, Object> beyond =
        Map.of(
            "i",
            1L + Integer.MAX_VALUE,
            "l",
            BigInteger.TWO.pow(63),
            "dec",
            new BigDecimal("12345678901234567.00"));
    beyond.forEach((column, value) -> assertRefused(column, value, "is not within its range"));
    assertThat(SPARK.table(base.toString()).count()).isZero();
  }

  @Test
  void valueOfAFoldedImageThatIsNoneOfItsTypeFailsTheMerge() {
    Map<String, @Nullable Object> image = image("x");
    image.put("i", "five");
    image.remove("text"); // so that changes are folded
    append(1, "x", image);
    assertThatThrownBy(this::merge)
        .hasStackTraceContaining(
            "Cannot merge into column i of type int of " + base + ": the source's value five");
  }

  /** With our message, and without Spark's advice. */
  private void assertRefused(String column, Object value, String why) {
    Map<String, @Nullable Object> image = image("x");
    image.put(column, value);
    append(1, "x", image);
    String type = SparkTables.load(SPARK, base).schema().findType(column).toString();
    String text = value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
    assertThatThrownBy(this::merge)
        .hasStackTraceContaining(
            "Cannot merge into column %s of type %s of %s: the source's value %s "
                .formatted(column, type, base, text))
        .hasStackTraceContaining(why)
        .satisfies(
            failure ->
                assertThat(ExceptionUtils.getStackTrace(failure)).doesNotContain("spark.sql.ansi"));
    SPARK.sql("DELETE FROM " + ledger.sql());
  }

  @Test
  void valueWithMoreDigitsThanItsColumnFailsTheMerge() {
    Map<String, Object> lossy =
        Map.of(
            "dec",
            new BigDecimal("1.00005"),
            "day",
            LocalDateTime.parse("2024-02-29T23:59:59"),
            "f",
            0.1234567891234,
            "d",
            9_007_199_254_740_993L,
            "at",
            "2024-02-29T23:59:59.123456789");
    long sequence = 0;
    for (Map.Entry<String, Object> one : lossy.entrySet()) {
      Map<String, @Nullable Object> image = image("x");
      image.put(one.getKey(), one.getValue());
      append(++sequence, "x", image);
      assertThatThrownBy(this::merge)
          .hasStackTraceContaining("Cannot merge into column " + one.getKey() + " of type")
          .hasStackTraceContaining("has more digits than that");
      SPARK.sql("DELETE FROM " + ledger.sql());
    }
    assertThat(SPARK.table(base.toString()).count()).isZero();
  }

  private MergeOutcome.Merged merge() {
    return (MergeOutcome.Merged) LedgerMerge.of(SPARK, MergeRequest.of(base, ledger)).run().get(0);
  }

  private Row row(String condition) {
    return SPARK
        .sql(
            "SELECT b, i, l, f, d, dec, CAST(day AS STRING), at, unix_micros(inst), text, bin FROM "
                + base.sql()
                + " WHERE "
                + condition)
        .first();
  }

  private static Map<String, @Nullable Object> image(String code) {
    Map<String, @Nullable Object> image = new LinkedHashMap<>();
    image.put("shop", 7L);
    image.put("code", code);
    image.put("b", true);
    image.put("i", -5L);
    image.put("l", Long.MAX_VALUE);
    image.put("f", 1.1f);
    image.put("d", 1e-300);
    image.put("dec", new BigDecimal("1234567890123456.7890"));
    image.put("day", LocalDate.of(2024, 2, 29));
    image.put("at", LocalDateTime.parse("2024-02-29T23:59:59.123456"));
    image.put("inst", Instant.parse("2024-02-29T23:59:59.5Z"));
    image.put("text", "Grüße \"'\\\n");
    image.put("bin", ByteBuffer.wrap(new byte[] {0, -1}));
    return image;
  }

  private static Map<String, @Nullable Object> nulls(String code) {
    Map<String, @Nullable Object> image = image(code);
    image.keySet().forEach(name -> image.put(name, null));
    image.put("shop", 7L);
    image.put("code", code);
    return image;
  }

  private void append(long sequence, String code, Map<String, @Nullable Object> image) {
    append("U", sequence, 1, code, image, false);
  }

  private void append(
      String op,
      long sequence,
      long place,
      String code,
      @Nullable Map<String, @Nullable Object> image,
      boolean keyChanged) {
    long hash = PrimaryKeyHash.hash(PrimaryKeyHash.text(List.of(7L, code)));
    SPARK.sql(
        "INSERT INTO %s VALUES (timestamp_seconds(0), timestamp_seconds(0), '%s', %dL, 7, %s, NULL, %s, '%s', false, false, 't', 0, %dL, %s)"
            .formatted(
                ledger.sql(),
                op,
                hash,
                sqlText(code),
                image == null ? "NULL" : sqlText(JsonText.of(image)),
                new ChangeOrder(sequence, place, 0, sequence).cdcOrd(),
                sequence,
                keyChanged));
  }

  private static String sqlText(String text) {
    return "CAST(unbase64('" + base64(text) + "') AS STRING)";
  }

  private static String base64(String text) {
    return java.util.Base64.getEncoder()
        .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }
}
