package dev.tidemark.spark.shadow;

import dev.tidemark.spark.table.TableName;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The comparisons made so far, in an Iceberg table of their own; a line each. */
public final class ShadowHistory {
  private final SparkSession spark;
  private final TableName table;

  /** A history in a table, which is created when the first report comes. */
  public ShadowHistory(SparkSession spark, TableName table) {
    this.spark = spark;
    this.table = table;
  }

  /** Keeps a report. */
  public void add(ShadowReport report) {
    spark.sql(
        "CREATE TABLE IF NOT EXISTS %s (base STRING, made_at TIMESTAMP, clean BOOLEAN, wrong BIGINT, report STRING, reference STRING, cut TIMESTAMP, after_cut BIGINT) USING iceberg"
            .formatted(table.sql()));
    if (!isComplete()) {
      spark.sql(
          "ALTER TABLE %s ADD COLUMNS (reference STRING, cut TIMESTAMP, after_cut BIGINT)"
              .formatted(table.sql()));
    }
    StructType schema =
        new StructType()
            .add("base", DataTypes.StringType)
            .add("made_at", DataTypes.LongType)
            .add("clean", DataTypes.BooleanType)
            .add("wrong", DataTypes.LongType)
            .add("report", DataTypes.StringType)
            .add("reference", DataTypes.StringType)
            .add("cut", DataTypes.LongType)
            .add("after_cut", DataTypes.LongType);
    Row row =
        RowFactory.create(
            report.base(),
            report.at().toEpochMilli(),
            report.isClean(),
            report.wrong(),
            ReportFormat.JSON.write(report),
            report.reference(),
            report.cut() == null ? null : report.cut().toEpochMilli(),
            report.afterCut());
    try {
      spark
          .createDataFrame(List.of(row), schema)
          .withColumn("made_at", functions.timestamp_millis(functions.col("made_at")))
          .withColumn("cut", functions.timestamp_millis(functions.col("cut")))
          .writeTo(table.sql())
          .append();
    } catch (NoSuchTableException e) {
      throw new IllegalStateException("Cannot keep a report: table " + table + " is gone", e);
    }
  }

  /**
   * How many days in a row, up to and including today, each had a comparison and only clean ones.
   * Days are UTC. A day without a comparison is not clean; today counts once it has one, and until
   * then the row of days ends yesterday.
   */
  public int cleanDays(String base, Instant now) {
    SortedMap<LocalDate, Boolean> days = days(base);
    LocalDate day = now.atOffset(ZoneOffset.UTC).toLocalDate();
    day = days.containsKey(day) ? day : day.minusDays(1);
    int clean = 0;
    while (days.getOrDefault(day, false)) {
      clean++;
      day = day.minusDays(1);
    }
    return clean;
  }

  /** A history from before the other side of a comparison was kept is given those columns. */
  private boolean isComplete() {
    return List.of(spark.table(table.sql()).columns()).contains("after_cut");
  }

  /**
   * Whether a comparison after a time found every key equal, without leaving one out for its cut,
   * and the last one was clean too.
   *
   * @param since exclusive
   */
  public boolean isVerified(String base, Instant since) {
    if (!spark.catalog().tableExists(table.sql()) || !isComplete()) {
      return false;
    }
    List<Row> reports =
        spark
            .table(table.sql())
            .filter(functions.col("base").equalTo(base))
            .filter(functions.unix_millis(functions.col("made_at")).gt(since.toEpochMilli()))
            .filter(functions.col("reference").notEqual(base))
            .orderBy(functions.col("made_at").desc())
            .select("clean", "after_cut")
            .collectAsList();
    return !reports.isEmpty()
        && reports.get(0).getBoolean(0)
        && reports.stream().anyMatch(row -> row.getBoolean(0) && row.getLong(1) == 0);
  }

  private SortedMap<LocalDate, Boolean> days(String base) {
    SortedMap<LocalDate, Boolean> days = new TreeMap<>();
    for (Row row : reports(base)) {
      days.merge(
          Instant.ofEpochMilli(row.getLong(0)).atOffset(ZoneOffset.UTC).toLocalDate(),
          row.getBoolean(1),
          Boolean::logicalAnd);
    }
    return days;
  }

  private List<Row> reports(String base) {
    if (!spark.catalog().tableExists(table.sql())) {
      return new ArrayList<>();
    }
    return spark
        .table(table.sql())
        .filter(functions.col("base").equalTo(base))
        .select(functions.unix_millis(functions.col("made_at")), functions.col("clean"))
        .collectAsList();
  }
}
