package dev.tidemark.spark.merge;

import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;

/**
 * Completes the images of changed primary keys. Where the source sends partial images, the INSERT
 * half says nothing of some columns, and what they hold is known under the old key alone: to the
 * DELETE half's before image, to older changes of the old key in the ledger, or to the base table.
 *
 * <p>The halves lie in two Kafka partitions. An INSERT whose DELETE half is not in the ledger yet
 * cannot be completed: what came before it on the old key is not all there.
 *
 * <p>A key may change several times. Each round completes those whose old rows are complete, so
 * there are as many rounds as the longest chain that no merge has seen yet.
 */
final class KeyChanges implements AutoCloseable {
  private final SparkSession spark;
  private final Source source;
  private final List<JavaRDD<Row>> kept = new ArrayList<>();

  /**
   * What to read.
   *
   * @param increment the view of what is merged
   * @param ledger the view of the whole ledger up to the same snapshot
   * @param floor changes at or below it are left out; null for none
   */
  record Source(
      TableName base,
      BaseColumns columns,
      String increment,
      String ledger,
      @Nullable String floor) {

    private String partialView() {
      return increment + "_halves";
    }

    private String completedView() {
      return increment + "_completed";
    }

    private String wholeView() {
      return increment + "_whole";
    }

    private String aboveFloor() {
      return floor == null ? "" : " AND cdc_ord > '" + floor + "'";
    }

    /** The key columns, each by a function of its quoted name and its place. */
    private String keys(String between, Function<Integer, String> each) {
      return IntStream.range(0, columns.key().size())
          .boxed()
          .map(each)
          .collect(Collectors.joining(between));
    }

    private String key(int i) {
      return MergeStatement.quoted(columns.key().get(i).name());
    }

    private String keys(String alias) {
      return keys(", ", i -> alias + "." + key(i));
    }

    private String sameKeys(String one, String other) {
      return keys(" AND ", i -> "%s.%s = %s.%s".formatted(one, key(i), other, key(i)));
    }

    private String isOldKeyOf(String alias) {
      return keys(" AND ", i -> "%s.%s = p.tidemark_old_%d".formatted(alias, key(i), i));
    }
  }

  KeyChanges(SparkSession spark, Source source) {
    this.spark = spark;
    this.source = source;
  }

  /** Whether half of any changed key in the increment leaves columns out. */
  boolean anyPartial() {
    return !spark
        .sql(
            "SELECT 1 FROM %s WHERE cdc_key_changed AND op IN ('D', 'I')%s AND %s(op, before_image, after_image) LIMIT 1"
                .formatted(source.increment(), source.aboveFloor(), ImageFunctions.PARTIAL_HALF))
        .isEmpty();
  }

  /**
   * A view of the increment in which the INSERT half of every changed key says all that is known.
   *
   * @param without whether to merge INSERTs whose DELETE half is not in the ledger
   * @param notes gets what the user should know
   * @throws IllegalStateException if the DELETE half of one is not in the ledger
   */
  String completed(boolean without, List<String> notes) {
    long partial = view(source.partialView(), partialHalves());
    if (partial == 0) {
      return source.increment();
    }
    expectBothHalves(without);
    view(source.completedView(), spark.sql(nothingCompleted()));
    complete(partial);
    spark.sql(wholeIncrement()).createOrReplaceTempView(source.wholeView());
    notes.add(
        "%d changed keys leave columns out: these are taken from the rows of their old keys"
            .formatted(partial));
    long unknown = unknown();
    if (unknown > 0) {
      notes.add(unknown + " values of changed keys are known to nobody: they are null");
    }
    return source.wholeView();
  }

  private void complete(long partial) {
    long left = partial;
    boolean giveUp = false;
    while (left > 0) {
      Dataset<Row> before = spark.table(source.completedView());
      Dataset<Row> round = computed(spark.sql(round(giveUp)));
      left -= round.count();
      giveUp = round.isEmpty();
      view(source.completedView(), before.union(round));
    }
  }

  private void expectBothHalves(boolean without) {
    List<Row> lonely =
        spark
            .sql(
                "SELECT cdc_ord, to_json(struct(%s)) FROM %s p WHERE tidemark_old_0 IS NULL ORDER BY cdc_ord"
                    .formatted(source.keys("p"), source.partialView()))
            .takeAsList(1);
    if (!without && !lonely.isEmpty()) {
      throw new IllegalStateException(
          "Cannot merge into %s: the row of the new key %s (cdc_ord %s) leaves columns out, and the DELETE of its old key, which leads to them, is not in the ledger (expected: both halves of a changed primary key; they lie in two Kafka partitions). Merge again when it has come; where it never will, as from a compacted topic, --missing-half null makes these columns null"
              .formatted(source.base(), lonely.get(0).getString(1), lonely.get(0).getString(0)));
    }
  }

  private long unknown() {
    return spark
        .sql("SELECT coalesce(sum(unknown), 0) FROM " + source.completedView())
        .first()
        .getLong(0);
  }

  /** Each INSERT half that leaves columns out, beside the old key. */
  private Dataset<Row> partialHalves() {
    return spark.sql(
        """
        SELECT DISTINCT %1$s, i.cdc_ord, i.after_image, %2$s FROM
        (SELECT *, %3$s(cdc_ord) AS tidemark_place FROM %4$s
        WHERE op = 'I' AND cdc_key_changed%5$s AND %6$s(op, before_image, after_image)) i
        LEFT JOIN (SELECT *, substr(cdc_ord, 1, 24) AS tidemark_place FROM %7$s
        WHERE op = 'D' AND cdc_key_changed) d ON d.tidemark_place = i.tidemark_place"""
            .formatted(
                source.keys("i"),
                source.keys(", ", i -> "d." + source.key(i) + " AS tidemark_old_" + i),
                ImageFunctions.PREVIOUS_PLACE,
                source.increment(),
                source.aboveFloor(),
                ImageFunctions.PARTIAL_HALF,
                source.ledger()));
  }

  private String nothingCompleted() {
    return "SELECT %s, cdc_ord, after_image AS image, 0 AS unknown FROM %s p LIMIT 0"
        .formatted(source.keys("p"), source.partialView());
  }

  /** Those that can be completed from what is complete. */
  private String round(boolean giveUp) {
    return """
        SELECT %1$s, cdc_ord, c.image AS image, c.unknown AS unknown FROM (
        SELECT %1$s, p.cdc_ord, %2$s(p.after_image, p.cdc_ord,
        collect_list(IF(c.cdc_ord IS NULL, NULL,
        struct(c.cdc_ord, c.op, c.before_image, coalesce(r.image, c.after_image), c.cdc_key_changed))),
        first(IF(t.%3$s IS NULL, NULL, struct(t.cdc_ord, array(%4$s)))), %5$s) AS c
        FROM (SELECT p.* FROM %6$s p LEFT ANTI JOIN %7$s r ON %8$s AND r.cdc_ord = p.cdc_ord) p
        LEFT JOIN (SELECT * FROM %9$s WHERE op <> 'T'%10$s) c ON %11$s AND c.cdc_ord < p.cdc_ord
        LEFT JOIN %7$s r ON %12$s AND r.cdc_ord = c.cdc_ord
        LEFT JOIN %13$s t ON %14$s
        GROUP BY %1$s, p.cdc_ord, p.after_image) p WHERE c.image IS NOT NULL"""
        .formatted(
            source.keys("p"),
            ImageFunctions.COMPLETE,
            source.key(0),
            baseTexts(),
            giveUp,
            source.partialView(),
            source.completedView(),
            source.sameKeys("r", "p"),
            source.ledger(),
            source.aboveFloor(),
            source.isOldKeyOf("c"),
            source.sameKeys("r", "c"),
            source.base().sql(),
            source.isOldKeyOf("t"));
  }

  private String baseTexts() {
    return source.columns().values().stream()
        .map(field -> TextCast.text("t." + MergeStatement.quoted(field.name()), field))
        .collect(Collectors.joining(", "));
  }

  /** The few completed images go to every task, so the increment keeps its buckets. */
  private String wholeIncrement() {
    List<String> columns =
        new ArrayList<>(
            source.columns().identity().stream()
                .map(name -> "i." + MergeStatement.quoted(name))
                .toList());
    for (String name : List.of("op", "before_image", "cdc_ord", "cdc_source_time")) {
      columns.add("i." + name);
    }
    return "SELECT /*+ BROADCAST(r) */ %s, i.cdc_key_changed, coalesce(r.image, i.after_image) AS after_image FROM %s i LEFT JOIN %s r ON %s AND r.cdc_ord = i.cdc_ord"
        .formatted(
            String.join(", ", columns),
            source.increment(),
            source.completedView(),
            source.sameKeys("r", "i"));
  }

  private long view(String name, Dataset<Row> rows) {
    Dataset<Row> known = computed(rows);
    known.createOrReplaceTempView(name);
    return known.count();
  }

  /**
   * Computed once: what a round has found must not change when the next one asks again. Kept as an
   * RDD, since Spark 4.0 fails on cached plans and on local checkpoints below a MERGE by bucket.
   */
  private Dataset<Row> computed(Dataset<Row> rows) {
    JavaRDD<Row> once = rows.javaRDD().persist(StorageLevel.MEMORY_AND_DISK());
    kept.add(once);
    return spark.createDataFrame(once, rows.schema());
  }

  /** Drops its views and gives back what it holds. */
  @Override
  public void close() {
    for (String view : List.of(source.partialView(), source.completedView(), source.wholeView())) {
      spark.catalog().dropTempView(view);
    }
    kept.forEach(JavaRDD::unpersist);
  }
}
