package dev.tidemark.spark.shadow;

import dev.tidemark.spark.table.TableName;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The comparisons made so far, in an Iceberg table of their own; a line each. What it is asked it
 * answers from those of one base table, known by its UUID: of another table that had the same name
 * before, and of reports from before the UUID was kept, nothing is concluded.
 */
public final class ShadowHistory {
  /**
   * How old the cut of a comparison may be when it is made. What was changed since is left out of
   * it, so one whose cut stands still proves less each day, and in the end nothing.
   */
  public static final Duration MAX_CUT_AGE = Duration.ofHours(48);

  /** The columns and their types, in the order in which they came. */
  private static final Map<String, String> COLUMNS = new LinkedHashMap<>();

  static {
    COLUMNS.put("base", "STRING");
    COLUMNS.put("made_at", "TIMESTAMP");
    COLUMNS.put("clean", "BOOLEAN");
    COLUMNS.put("wrong", "BIGINT");
    COLUMNS.put("report", "STRING");
    COLUMNS.put("reference", "STRING");
    COLUMNS.put("cut", "TIMESTAMP");
    COLUMNS.put("after_cut", "BIGINT");
    COLUMNS.put("settled", "BIGINT");
    COLUMNS.put("ignored", "ARRAY<STRING>");
    COLUMNS.put("table_uuid", "STRING");
  }

  private final SparkSession spark;
  private final TableName table;

  /** A history in a table, which is created when the first report comes. */
  public ShadowHistory(SparkSession spark, TableName table) {
    this.spark = spark;
    this.table = table;
  }

  /**
   * The clean days up to today.
   *
   * @param ignored the columns that a comparison of a day left out; an entry a day, newest first
   */
  public record CleanDays(List<SortedSet<String>> ignored) {
    public CleanDays {
      ignored = List.copyOf(ignored);
    }

    /** How many there are in a row. */
    public int days() {
      return ignored.size();
    }

    /** The columns that a comparison of the newest so many days left out. */
    public SortedSet<String> ignoredIn(int newest) {
      return ignored.stream()
          .limit(newest)
          .flatMap(SortedSet::stream)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /**
   * That every key was found equal.
   *
   * @param ignored the columns that were left out of that comparison, or of the last one
   */
  public record Proof(SortedSet<String> ignored) {}

  /** Keeps a report. A history from before a column was kept is given that column. */
  public void add(ShadowReport report) {
    spark.sql(
        "CREATE TABLE IF NOT EXISTS %s (%s) USING iceberg"
            .formatted(table.sql(), declared(List.copyOf(COLUMNS.keySet()))));
    List<String> missing = missing();
    if (!missing.isEmpty()) {
      spark.sql("ALTER TABLE %s ADD COLUMNS (%s)".formatted(table.sql(), declared(missing)));
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
            .add("after_cut", DataTypes.LongType)
            .add("settled", DataTypes.LongType)
            .add("ignored", DataTypes.createArrayType(DataTypes.StringType))
            .add("table_uuid", DataTypes.StringType);
    Row row =
        RowFactory.create(
            report.base(),
            report.at().toEpochMilli(),
            report.isClean(),
            report.wrong(),
            ReportFormat.JSON.write(report),
            report.reference(),
            report.cut() == null ? null : report.cut().toEpochMilli(),
            report.afterCut(),
            report.settled(),
            report.ignored().toArray(String[]::new),
            report.table() == null ? null : report.table().toString());
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
   * The days in a row, up to and including today, that each had a comparison, and only clean ones
   * without a cut or with one that was not older than {@link #MAX_CUT_AGE}. Days are UTC. A day
   * without a comparison is not clean; today counts once it has one, and until then the row of days
   * ends yesterday.
   *
   * @param base the UUID of the base table
   */
  public CleanDays cleanDays(UUID base, Instant now) {
    Map<LocalDate, List<Kept>> days =
        reports(base).stream()
            .collect(Collectors.groupingBy(Kept::day, TreeMap::new, Collectors.toList()));
    LocalDate day = now.atOffset(ZoneOffset.UTC).toLocalDate();
    day = days.containsKey(day) ? day : day.minusDays(1);
    List<SortedSet<String>> ignored = new ArrayList<>();
    for (List<Kept> reports = days.get(day);
        reports != null && reports.stream().allMatch(Kept::counts);
        reports = days.get(day)) {
      SortedSet<String> ofDay = new TreeSet<>();
      reports.forEach(report -> ofDay.addAll(report.ignored()));
      ignored.add(ofDay);
      day = day.minusDays(1);
    }
    return new CleanDays(ignored);
  }

  /**
   * The comparison after a time that found every key equal, without leaving one out for its cut;
   * empty if there is none, or the last one is not clean, or either's cut was too old. Of several
   * one that left no column out.
   *
   * @param base the UUID of the base table
   * @param since exclusive
   */
  public Optional<Proof> proof(UUID base, Instant since) {
    List<Kept> reports =
        reports(base).stream()
            .filter(report -> report.at().isAfter(since))
            .sorted(Comparator.comparing(Kept::at).reversed())
            .toList();
    if (reports.isEmpty() || !reports.get(0).counts()) {
      return Optional.empty();
    }
    return reports.stream()
        .filter(report -> report.counts() && report.afterCut() == 0)
        .min(Comparator.comparingInt(report -> report.ignored().size()))
        .map(
            proof -> {
              SortedSet<String> ignored = new TreeSet<>(proof.ignored());
              ignored.addAll(reports.get(0).ignored());
              return new Proof(ignored);
            });
  }

  /** What is read of a report. */
  private record Kept(
      Instant at, boolean clean, @Nullable Instant cut, long afterCut, List<String> ignored) {
    LocalDate day() {
      return at.atOffset(ZoneOffset.UTC).toLocalDate();
    }

    boolean counts() {
      return clean && (cut == null || !cut.isBefore(at.minus(MAX_CUT_AGE)));
    }
  }

  private List<Kept> reports(UUID base) {
    if (!spark.catalog().tableExists(table.sql()) || !missing().isEmpty()) {
      return List.of();
    }
    return spark
        .table(table.sql())
        .filter(functions.col("table_uuid").equalTo(base.toString()))
        .select(
            functions.unix_millis(functions.col("made_at")),
            functions.col("clean"),
            functions.unix_millis(functions.col("cut")),
            functions.col("after_cut"),
            functions.col("ignored"))
        .collectAsList()
        .stream()
        .map(ShadowHistory::kept)
        .toList();
  }

  private static Kept kept(Row row) {
    return new Kept(
        Instant.ofEpochMilli(row.getLong(0)),
        row.getBoolean(1),
        row.isNullAt(2) ? null : Instant.ofEpochMilli(row.getLong(2)),
        row.getLong(3),
        row.getList(4));
  }

  private List<String> missing() {
    List<String> columns = Arrays.asList(spark.table(table.sql()).columns());
    return COLUMNS.keySet().stream().filter(name -> !columns.contains(name)).toList();
  }

  private static String declared(List<String> names) {
    return names.stream()
        .map(name -> name + " " + Objects.requireNonNull(COLUMNS.get(name)))
        .collect(Collectors.joining(", "));
  }
}
