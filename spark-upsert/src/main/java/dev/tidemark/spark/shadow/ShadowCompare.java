package dev.tidemark.spark.shadow;

import dev.tidemark.spark.plan.SessionSettings;
import dev.tidemark.spark.table.BaseColumns;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;

/**
 * Compares a base table with a reference, every row of it: first counts and hashes per bucket of
 * keys, then, in the buckets that differ, key by key.
 *
 * <p>Both sides are brought to the base's types; a reference value that loses something on the way
 * is not equal. A row that either side changed at or after the cut is left out on both: one side
 * may have seen a change that the other has not. So is one that the base deleted at or after the
 * cut, by its tombstone, and that the reference still has. A key that a side has more than once is
 * wrong, whatever its values. A key of the reference that loses something in the base's type is no
 * key of the base: it is missing there.
 *
 * @param key the columns that identify a row on both sides
 * @param values the columns to compare
 * @param ignored columns that the base may lack; others that the reference has alone are named in
 *     the report
 * @param buckets how finely to look before keys are compared, at least 1
 * @param sampleSize how many keys of each class the report shows at most
 */
public record ShadowCompare(
    List<String> key, List<String> values, List<String> ignored, int buckets, int sampleSize) {
  /** Empty where the key is exact in the base's types, else the key as it is. */
  private static final String LOSSY_KEY = "shadow_lossy_key";

  private static final String ROW_HASH = "shadow_row_hash";
  private static final String BUCKET = "shadow_bucket";
  private static final String TIME = "shadow_changed_at";
  private static final String TYPED = "shadow_typed";
  private static final String RAW = "shadow_raw";
  private static final String EXACT = "shadow_exact";
  private static final String COPIES = "shadow_copies";
  private static final String ONE = "shadow_one";
  private static final String GONE = "shadow_gone";

  public ShadowCompare {
    key = List.copyOf(key);
    values = List.copyOf(values);
    ignored = List.copyOf(ignored);
    if (key.isEmpty() || buckets < 1 || sampleSize < 0) {
      throw new IllegalArgumentException(
          "key: %s, buckets: %d, sampleSize: %d (expected: a column, >= 1, >= 0)"
              .formatted(key, buckets, sampleSize));
    }
  }

  /** 256 buckets, 20 samples a class. */
  public static ShadowCompare of(List<String> key, List<String> values) {
    return new ShadowCompare(key, values, List.of(), 256, 20);
  }

  /** The same where the base may lack these columns of the reference. */
  public ShadowCompare ignoring(List<String> names) {
    return new ShadowCompare(key, values, names, buckets, sampleSize);
  }

  /**
   * Compares.
   *
   * @param cut exclusive; null to compare all rows
   * @throws IllegalArgumentException if a side lacks a key column; if the two sides are one, also
   *     where the reference is a view of the base table, or another catalog's name for it
   */
  public ShadowReport run(
      SparkSession spark, Side base, Side reference, @Nullable Instant cut, Clock clock) {
    if (base.name().equals(reference.name())) {
      throw new IllegalArgumentException(
          "Cannot compare "
              + base.name()
              + " with itself (expected: another table, or the database)");
    }
    if (base.table() != null && ReadTables.of(reference.rows()).contains(base.table())) {
      throw new IllegalArgumentException(
          "Cannot compare %s with %s: that reads the table %s itself, through a view or by another name (expected: another table, or the database)"
              .formatted(base.name(), reference.name(), base.table()));
    }
    expectKey(base);
    expectKey(reference);
    return SessionSettings.run(
        spark,
        Map.of("spark.sql.session.timeZone", "UTC"),
        () -> compare(base, reference, cut, clock.instant()));
  }

  private ShadowReport compare(Side base, Side reference, @Nullable Instant cut, Instant at) {
    Dataset<Row> ours = hashed(base, base.rows());
    Dataset<Row> theirs = hashed(reference, base.rows());
    Dataset<Row> gone = deletedAfter(base, cut);
    Map<Integer, Totals> ourTotals = totals(ours);
    Map<Integer, Totals> theirTotals = totals(theirs);
    List<Integer> differing = new ArrayList<>();
    for (int bucket = 0; bucket < buckets; bucket++) {
      Totals our = ourTotals.getOrDefault(bucket, Totals.NONE);
      if (!our.looksLike(theirTotals.getOrDefault(bucket, Totals.NONE))) {
        differing.add(bucket);
      }
    }
    Map<ShadowReport.Kind, Long> found = new EnumMap<>(ShadowReport.Kind.class);
    List<ShadowReport.Sample> samples = new ArrayList<>();
    int unexplained = 0;
    if (!differing.isEmpty()) {
      Dataset<Row> classified = classified(ours, theirs, gone, differing, cut).cache();
      count(classified, found);
      unexplained = differing.size() - (int) classified.select(BUCKET).distinct().count();
      sample(classified, samples);
      classified.unpersist();
    }
    return new ShadowReport(
        base.name(),
        base.table(),
        reference.name(),
        at,
        cut,
        rows(ourTotals),
        rows(theirTotals),
        settled(ours, theirs, gone, cut),
        buckets,
        differing.size(),
        unexplained,
        notCompared(base),
        onlyInReference(base, reference),
        found,
        samples);
  }

  /** The columns of the base's source that are not compared. */
  private List<String> notCompared(Side base) {
    return Arrays.stream(base.rows().columns())
        .filter(name -> !BaseColumns.isKept(name) && !name.equals(base.changedAt()))
        .filter(name -> !key.contains(name) && !values.contains(name))
        .toList();
  }

  /** The columns that the reference has alone. That of its times is no column of the source. */
  private List<String> onlyInReference(Side base, Side reference) {
    List<String> columns = Arrays.asList(base.rows().columns());
    return Arrays.stream(reference.rows().columns())
        .filter(name -> !columns.contains(name) && !ignored.contains(name))
        .filter(name -> !name.equals(reference.changedAt()))
        .toList();
  }

  private void expectKey(Side side) {
    List<String> columns = Arrays.asList(side.rows().columns());
    if (!columns.containsAll(key)) {
      throw new IllegalArgumentException(
          "Cannot compare %s by key %s: it has columns %s (expected: all of the key)"
              .formatted(side.name(), key, columns));
    }
  }

  /** Rows of a bucket, and the sum of their hashes, in whatever order. */
  private record Totals(long rows, String hash) {
    static final Totals NONE = new Totals(0, "0");

    boolean looksLike(Totals other) {
      return rows == other.rows && hash.equals(other.hash);
    }
  }

  /** Key columns, the row as it is and in the base's types, its hash, bucket and time. */
  private Dataset<Row> hashed(Side side, Dataset<Row> base) {
    List<Column> columns = new ArrayList<>();
    for (String name : key) {
      columns.add(typed(side.rows(), base, name).as(name));
    }
    columns.add(
        functions
            .when(exact(key, side.rows(), base), "")
            .otherwise(json(raw(key, side.rows())))
            .as(LOSSY_KEY));
    Column[] typed =
        values.stream()
            .map(name -> text(typed(side.rows(), base, name), type(base, name)).as(name))
            .toArray(Column[]::new);
    Column[] keys = key.stream().map(name -> typed(side.rows(), base, name)).toArray(Column[]::new);
    columns.add(json(typed).as(TYPED));
    columns.add(json(raw(values, side.rows())).as(RAW));
    columns.add(exact(values, side.rows(), base).as(EXACT));
    columns.add(
        functions.pmod(functions.xxhash64(keys), functions.lit(buckets)).cast("int").as(BUCKET));
    String changedAt = side.changedAt();
    columns.add(
        (changedAt == null ? functions.lit(null) : functions.col(quoted(changedAt)))
            .cast("timestamp")
            .as(TIME));
    Dataset<Row> selected = side.rows().select(columns.toArray(Column[]::new));
    List<Column> hashed = new ArrayList<>(Arrays.asList(keyColumns()));
    hashed.add(functions.col(RAW));
    return selected.withColumn(ROW_HASH, functions.xxhash64(hashed.toArray(Column[]::new)));
  }

  private static Column json(Column... values) {
    return values.length == 0
        ? functions.lit("{}")
        : functions.to_json(functions.struct(values), Map.of("ignoreNullFields", "false"));
  }

  private static Column typed(Dataset<Row> rows, Dataset<Row> base, String name) {
    return column(rows, name).try_cast(type(base, name));
  }

  /**
   * A value as exact text: all its digits, which JSON would not keep of a time; bytes in
   * hexadecimal. Two values of one type are equal if their texts are.
   */
  private static Column text(Column value, DataType type) {
    return DataTypes.BinaryType.equals(type) ? functions.hex(value) : value.cast("string");
  }

  private static Column[] raw(List<String> names, Dataset<Row> rows) {
    return names.stream()
        .map(name -> text(column(rows, name), type(rows, name)).as(name))
        .toArray(Column[]::new);
  }

  /** Whether none of these columns of a row loses anything on the way to the base's type. */
  private static Column exact(List<String> names, Dataset<Row> rows, Dataset<Row> base) {
    Column all = functions.lit(true);
    for (String name : names) {
      Column value = column(rows, name);
      all = all.and(Exactness.of(value, type(rows, name), type(base, name)));
    }
    return all;
  }

  private static DataType type(Dataset<Row> rows, String name) {
    for (StructField field : rows.schema().fields()) {
      if (field.name().equals(name)) {
        return field.dataType();
      }
    }
    return DataTypes.NullType;
  }

  private static Column column(Dataset<Row> rows, String name) {
    for (StructField field : rows.schema().fields()) {
      if (field.name().equals(name)) {
        return rows.col(quoted(name));
      }
    }
    return functions.lit(null);
  }

  private static Map<Integer, Totals> totals(Dataset<Row> hashed) {
    Map<Integer, Totals> totals = new HashMap<>();
    List<Row> rows =
        hashed
            .groupBy(BUCKET)
            .agg(
                functions.count(functions.lit(1)),
                functions.sum(functions.col(ROW_HASH).cast("decimal(20,0)")))
            .collectAsList();
    for (Row row : rows) {
      totals.put(row.getInt(0), new Totals(row.getLong(1), row.get(2).toString()));
    }
    return totals;
  }

  private static long rows(Map<Integer, Totals> totals) {
    return totals.values().stream().mapToLong(Totals::rows).sum();
  }

  /**
   * Rows of both sides that were compared. A side that is written meanwhile has other rows each
   * time it is read; those are after the cut, and never count.
   */
  private long settled(
      Dataset<Row> ours, Dataset<Row> theirs, Dataset<Row> gone, @Nullable Instant cut) {
    if (cut == null) {
      return ours.count() + theirs.count();
    }
    Column[] keys = keyColumns();
    Column tooNew = isAfter(functions.col(TIME), cut);
    Dataset<Row> leftOut =
        ours.filter(tooNew)
            .select(keys)
            .union(theirs.filter(tooNew).select(keys))
            .union(gone.select(keys))
            .distinct();
    String[] names = keyNames();
    Column inTime = functions.not(tooNew);
    return ours.filter(inTime).join(leftOut, names, "left_anti").count()
        + theirs.filter(inTime).join(leftOut, names, "left_anti").count();
  }

  /** What identifies a row in what is compared. */
  private String[] keyNames() {
    return Stream.concat(key.stream(), Stream.of(LOSSY_KEY)).toArray(String[]::new);
  }

  private Column[] keyColumns() {
    return Arrays.stream(keyNames())
        .map(name -> functions.col(quoted(name)))
        .toArray(Column[]::new);
  }

  /** One row per key: how many the side has, and one of them. */
  private Dataset<Row> perKey(Dataset<Row> rows, List<Integer> differing) {
    Column[] keys = keyColumns();
    return rows.filter(functions.col(BUCKET).isInCollection(differing))
        .groupBy(keys)
        .agg(
            functions.count(functions.lit(1)).as(COPIES),
            functions.max(functions.struct(TIME, BUCKET, RAW, TYPED, EXACT)).as(ONE))
        .select(functions.col("*"), functions.col(ONE + ".*"));
  }

  /** The keys that a side deleted at or after the cut. */
  private Dataset<Row> deletedAfter(Side side, @Nullable Instant cut) {
    Dataset<Row> deleted = side.deleted();
    String changedAt = side.changedAt();
    Column[] keys = keyColumns();
    Dataset<Row> gone =
        cut == null || deleted == null || changedAt == null
            ? side.rows().limit(0)
            : deleted.filter(isAfter(functions.col(quoted(changedAt)), cut));
    return gone.withColumn(LOSSY_KEY, functions.lit(""))
        .select(keys)
        .distinct()
        .withColumn(GONE, functions.lit(true));
  }

  private Dataset<Row> classified(
      Dataset<Row> ours,
      Dataset<Row> theirs,
      Dataset<Row> gone,
      List<Integer> differing,
      @Nullable Instant cut) {
    Dataset<Row> left = perKey(ours, differing).alias("b");
    Dataset<Row> right = perKey(theirs, differing).join(gone, keyNames(), "left").alias("r");
    Column on = functions.lit(true);
    for (String name : keyNames()) {
      on = on.and(of("b", name).eqNullSafe(of("r", name)));
    }
    Column[] keys =
        key.stream()
            .map(name -> functions.coalesce(of("b", name), of("r", name)).as(name))
            .toArray(Column[]::new);
    return left.join(right, on, "full_outer")
        .select(
            kind(cut).as("kind"),
            functions.coalesce(of("b", BUCKET), of("r", BUCKET)).as(BUCKET),
            functions
                .coalesce(functions.nullif(of("r", LOSSY_KEY), functions.lit("")), json(keys))
                .as("key"),
            of("b", RAW).as("ours"),
            of("r", RAW).as("theirs"))
        .filter(functions.col("kind").isNotNull());
  }

  private static Column kind(@Nullable Instant cut) {
    Column tooNew =
        cut == null
            ? functions.lit(false)
            : isAfter(of("b", TIME), cut)
                .or(isAfter(of("r", TIME), cut))
                .or(of("b", BUCKET).isNull().and(of("r", GONE).isNotNull()));
    Column twice = of("b", COPIES).gt(1).or(of("r", COPIES).gt(1));
    Column same = of("b", RAW).equalTo(of("r", RAW));
    return functions
        .when(functions.coalesce(twice, functions.lit(false)), name(ShadowReport.Kind.DUPLICATE))
        .when(tooNew.and(functions.coalesce(same, functions.lit(false))), functions.lit(null))
        .when(tooNew, name(ShadowReport.Kind.AFTER_CUT))
        .when(of("b", BUCKET).isNull(), name(ShadowReport.Kind.MISSING))
        .when(of("r", BUCKET).isNull(), name(ShadowReport.Kind.EXTRA))
        .when(same, functions.lit(null))
        .when(
            of("b", TYPED).equalTo(of("r", TYPED)).and(of("r", EXACT)),
            name(ShadowReport.Kind.TYPE_ONLY))
        // MariaDB's change events have whole seconds, its columns may have less.
        .when(
            of("b", TIME).lt(functions.date_trunc("SECOND", of("r", TIME))),
            name(ShadowReport.Kind.STALE))
        .otherwise(name(ShadowReport.Kind.DIFFERS));
  }

  private static Column isAfter(Column time, Instant cut) {
    return functions.coalesce(time.geq(functions.lit(cut)), functions.lit(false));
  }

  private static void count(Dataset<Row> classified, Map<ShadowReport.Kind, Long> found) {
    for (Row row : classified.groupBy("kind").count().collectAsList()) {
      found.put(ShadowReport.Kind.valueOf(row.getString(0)), row.getLong(1));
    }
  }

  private void sample(Dataset<Row> classified, List<ShadowReport.Sample> samples) {
    for (ShadowReport.Kind kind : ShadowReport.Kind.values()) {
      List<Row> rows =
          classified
              .filter(functions.col("kind").equalTo(kind.name()))
              .orderBy("key")
              .limit(sampleSize)
              .collectAsList();
      for (Row row : rows) {
        samples.add(
            new ShadowReport.Sample(kind, row.getString(2), row.getString(3), row.getString(4)));
      }
    }
  }

  private static Column name(ShadowReport.Kind kind) {
    return functions.lit(kind.name());
  }

  private static Column of(String side, String column) {
    return functions.col(side + "." + quoted(column));
  }

  private static String quoted(String name) {
    return "`" + name + "`";
  }
}
