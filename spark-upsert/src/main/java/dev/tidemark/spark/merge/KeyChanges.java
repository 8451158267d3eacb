package dev.tidemark.spark.merge;

import dev.tidemark.spark.plan.ShuffledBytes;
import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterators;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import org.jspecify.annotations.Nullable;
import scala.Function1;

/**
 * Completes the images of changed primary keys. Where the source sends partial images, the INSERT
 * half says nothing of some columns, and what they hold is known under the old key alone: to the
 * DELETE half's before image, to older changes of the old key in the ledger, or to the base table.
 * The old row may itself have come from another key: the chain is followed as far back as the base
 * table does not know better.
 *
 * <p>The halves lie in two Kafka partitions. An INSERT whose DELETE half is not in the ledger yet
 * cannot be completed: what came before it on the old key is not all there. One that the base table
 * has already seen needs nothing, and so does one that the dump has seen which the base table was
 * loaded from: its rows were read at or after the place that they stand at. And while an INSERT is
 * not there, what the base table alone knows of its old row may not be overwritten by another row
 * of that key.
 */
final class KeyChanges implements AutoCloseable {
  /** Up to so much goes to every task, so that what it is joined with stays where it is. */
  private static final long FEW_ROWS = 100_000;

  private static final long FEW_CHARACTERS = 32L << 20;

  private final SparkSession spark;
  private final Source source;
  private final List<String> views = new ArrayList<>();
  private final List<JavaRDD<Row>> kept = new ArrayList<>();
  private long shuffledBytes;

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

    private String aboveFloor(String alias) {
      return floor == null ? "" : " AND " + alias + ".cdc_ord > '" + floor + "'";
    }

    /** A TRUNCATE that this merge carries out ends every row below it. */
    private String isNotTruncated(String alias) {
      return floor == null ? "true" : alias + ".cdc_ord >= '" + floor + "'";
    }

    private String eachKey(String between, IntFunction<String> each) {
      return IntStream.range(0, columns.key().size())
          .mapToObj(each)
          .collect(Collectors.joining(between));
    }

    private String key(String alias, int i) {
      return alias + "." + MergeStatement.quoted(columns.key().get(i).name());
    }

    private String keys(String alias) {
      return eachKey(", ", i -> key(alias, i));
    }

    private String isSameKey(String one, String other) {
      return eachKey(" AND ", i -> key(one, i) + " = " + key(other, i));
    }

    private String keyText(String alias) {
      return "to_json(array("
          + eachKey(", ", i -> TextCast.text(key(alias, i), columns.key().get(i)))
          + "))";
    }
  }

  KeyChanges(SparkSession spark, Source source) {
    this.spark = spark;
    this.source = source;
  }

  /** Whether half of any changed key in the increment leaves columns out. */
  boolean anyPartial() {
    return any("cdc_key_changed AND op IN ('D', 'I')");
  }

  /** Whether any update in the increment leaves columns out. */
  boolean anyPartialUpdate() {
    return any("op = 'U'");
  }

  private boolean any(String condition) {
    return !spark
        .sql(
            "SELECT 1 FROM %s i WHERE %s%s AND %s(op, before_image, after_image) LIMIT 1"
                .formatted(
                    source.increment(),
                    condition,
                    source.aboveFloor("i"),
                    ImageFunctions.PARTIAL_IMAGE))
        .isEmpty();
  }

  /**
   * A view of the increment in which the INSERT half of every changed key says all that is known.
   *
   * @param answer what to do with INSERTs whose DELETE half is not in the ledger
   * @param notes gets what the user should know
   * @throws IllegalStateException if the other half of one is not in the ledger
   */
  String completed(MergeOptions.MissingHalf answer, List<String> notes) {
    expectNoLoss(answer);
    Known partial = known("partial", partialInserts());
    if (partial.rows() == 0) {
      return source.increment();
    }
    Known unseen = known("unseen", without(partial, known("seen", seenBy(partial))));
    Known open = known("open", without(unseen, dumped(unseen)));
    if (open.rows() == 0) {
      return source.increment();
    }
    Known chain = known("chain", deleteHalves(open, "p.cdc_ord"));
    expectBothHalves(known("lonely", without(open, chain)), answer);
    Known images = known("images", images(open, wholeChain(chain)));
    notes.add(
        "%d changed keys leave columns out: these are taken from the rows of their old keys, in the whole ledger and the base table"
            .formatted(open.rows()));
    long unknown = unknown(images);
    if (unknown > 0) {
      notes.add(unknown + " values of changed keys are known to nobody: they are null");
    }
    return view("whole", spark.sql(increment(images)));
  }

  /**
   * The INSERT halves that leave columns out:
   *
   * <pre>
   * key columns   the new key
   * cdc_ord       tells them apart
   * after_image
   * tidemark_before  the place of the DELETE half
   * </pre>
   */
  private String partialInserts() {
    return """
        SELECT DISTINCT %s, i.cdc_ord, i.after_image, %s(i.cdc_ord) AS tidemark_before FROM %s i
        WHERE i.op = 'I' AND i.cdc_key_changed%s AND %s(i.op, i.before_image, i.after_image)"""
        .formatted(
            source.keys("i"),
            ImageFunctions.PREVIOUS_PLACE,
            source.increment(),
            source.aboveFloor("i"),
            ImageFunctions.PARTIAL_IMAGE);
  }

  /** Those that the base table's row of the new key is of, or is later than. */
  private String seenBy(Known partial) {
    return "SELECT %s p.cdc_ord FROM %s t JOIN %s p ON %s AND %s >= %s"
        .formatted(
            partial.everywhere("p"),
            source.base().sql(),
            partial.view(),
            source.isSameKey("t", "p"),
            MergeStatement.placeOf("t.cdc_ord"),
            MergeStatement.placeOf("p.cdc_ord"));
  }

  /**
   * Those that the dump has seen: it has the row of the new key, and no DELETE came before the
   * INSERT, which found the key free.
   */
  private Known dumped(Known inserts) {
    Known there = known("there", dumpedRows(inserts));
    return there.rows() == 0
        ? there
        : known("dumped", without(there, known("ended", ended(there))));
  }

  private String dumpedRows(Known inserts) {
    return "SELECT %s p.* FROM %s t JOIN %s p ON %s WHERE NOT coalesce(t.cdc_deleted, false) AND t.cdc_ord %s"
        .formatted(
            inserts.everywhere("p"),
            source.base().sql(),
            inserts.view(),
            source.isSameKey("t", "p"),
            source.floor() == null ? "IS NULL" : "= '" + source.floor() + "'");
  }

  private String ended(Known there) {
    return "SELECT %s DISTINCT p.cdc_ord FROM %s l JOIN %s p ON %s AND l.cdc_ord < p.cdc_ord WHERE l.op = 'D'%s"
        .formatted(
            there.everywhere("p"),
            source.ledger(),
            there.view(),
            source.isSameKey("l", "p"),
            source.aboveFloor("l"));
  }

  private static String without(Known all, Known some) {
    return "SELECT a.* FROM %s a LEFT ANTI JOIN %s s ON s.cdc_ord = a.cdc_ord"
        .formatted(all.view(), some.view());
  }

  /**
   * The beginning of the chain, and each of its links:
   *
   * <pre>
   * cdc_ord       the INSERT to complete
   * key columns   a key that the row has had
   * tidemark_until  the order up to which it had it, exclusive
   * </pre>
   *
   * @param order the column with the order of the INSERT half that follows
   */
  private String deleteHalves(Known inserts, String order) {
    return """
        SELECT %s DISTINCT p.cdc_ord, %s, %s AS tidemark_until FROM %s d
        JOIN %s p ON %s = p.tidemark_before WHERE d.op = 'D' AND d.cdc_key_changed"""
        .formatted(
            inserts.everywhere("p"),
            source.keys("d"),
            order,
            source.ledger(),
            inserts.view(),
            MergeStatement.placeOf("d.cdc_ord"));
  }

  /**
   * Keys that a row has left, by a DELETE half that leaves columns out, and that are used again:
   * another change of them is merged now, while the row's new key is not in the ledger.
   */
  private void expectNoLoss(MergeOptions.MissingHalf answer) {
    Known left = known("left", leftKeys());
    if (left.rows() == 0) {
      return;
    }
    Known again = known("again", usedAgain(left));
    Known lost = again.rows() == 0 ? again : known("lost", withoutInsert(again));
    if (lost.rows() > 0 && answer == MergeOptions.MissingHalf.FAIL) {
      throw missingHalf(
          lost,
          "the key %s is used again, and the INSERT of the row that had it before (its DELETE: cdc_ord %s), which needs what only the base table knows of it");
    }
  }

  /** In the increment, and the tombstones that hold values. */
  private String leftKeys() {
    String hasValues =
        source.columns().values().isEmpty()
            ? "false"
            : source.columns().values().stream()
                .map(field -> "t." + MergeStatement.quoted(field.name()) + " IS NOT NULL")
                .collect(Collectors.joining(" OR "));
    return """
        SELECT %s, d.cdc_ord FROM %s d WHERE d.op = 'D' AND d.cdc_key_changed%s
        AND %s(d.op, d.before_image, d.after_image)
        UNION SELECT %s, t.cdc_ord FROM %s t WHERE t.cdc_deleted AND (%s)"""
        .formatted(
            source.keys("d"),
            source.increment(),
            source.aboveFloor("d"),
            ImageFunctions.PARTIAL_IMAGE,
            source.keys("t"),
            source.base().sql(),
            hasValues);
  }

  private String usedAgain(Known left) {
    return "SELECT %s DISTINCT p.* FROM %s i JOIN %s p ON %s AND %s > %s WHERE i.op <> 'T'%s"
        .formatted(
            left.everywhere("p"),
            source.increment(),
            left.view(),
            source.isSameKey("i", "p"),
            MergeStatement.placeOf("i.cdc_ord"),
            MergeStatement.placeOf("p.cdc_ord"),
            source.aboveFloor("i"));
  }

  private String withoutInsert(Known moves) {
    return """
        SELECT p.* FROM %1$s p LEFT ANTI JOIN (SELECT %2$s q.cdc_ord FROM %3$s i JOIN %1$s q
        ON %4$s(i.cdc_ord) = %5$s WHERE i.op = 'I' AND i.cdc_key_changed) q ON q.cdc_ord = p.cdc_ord"""
        .formatted(
            moves.view(),
            moves.everywhere("q"),
            source.ledger(),
            ImageFunctions.PREVIOUS_PLACE,
            MergeStatement.placeOf("q.cdc_ord"));
  }

  private void expectBothHalves(Known lonely, MergeOptions.MissingHalf answer) {
    if (lonely.rows() == 0 || answer == MergeOptions.MissingHalf.NULL) {
      return;
    }
    throw missingHalf(
        lonely,
        "the row of the new key %s (cdc_ord %s) leaves columns out, and the DELETE of its old key, which leads to them,");
  }

  private IllegalStateException missingHalf(Known halves, String what) {
    Row first =
        spark
            .sql(
                "SELECT %s, cdc_ord FROM %s p ORDER BY cdc_ord LIMIT 1"
                    .formatted(source.keyText("p"), halves.view()))
            .first();
    return new IllegalStateException(
        "Cannot merge into %s: %s is not in the ledger (expected: both halves of a changed primary key; they lie in two Kafka partitions). Merge again when it has come; where it never will, as from a compacted topic, --missing-half null makes these columns null"
            .formatted(source.base(), what.formatted(first.getString(0), first.getString(1))));
  }

  /** Follows rows that have had several keys, each link from a later key to the one before it. */
  private Known wholeChain(Known chain) {
    Known all = chain;
    Known last = chain;
    for (int link = 1; last.rows() > 0; link++) {
      Known arrivals = known("arrivals" + link, arrivals(last));
      Known open = known("open" + link, without(arrivals, known("seen" + link, seenAt(arrivals))));
      last = known("chain" + link, deleteHalves(open, "p.tidemark_arrived"));
      if (last.rows() > 0) {
        all =
            known(
                "all" + link,
                "SELECT * FROM %s UNION SELECT * FROM %s".formatted(all.view(), last.view()));
      }
    }
    return all;
  }

  /** How a row came to a key that it has had: the last INSERT there that leaves columns out. */
  private String arrivals(Known last) {
    return """
        SELECT %1$s c.cdc_ord, %2$s, c.tidemark_until, max(l.cdc_ord) AS tidemark_arrived,
        %8$s(max(l.cdc_ord)) AS tidemark_before FROM %3$s l
        JOIN %4$s c ON %5$s AND l.cdc_ord < c.tidemark_until
        WHERE l.op = 'I' AND l.cdc_key_changed%6$s AND %7$s(l.op, l.before_image, l.after_image)
        GROUP BY c.cdc_ord, %2$s, c.tidemark_until"""
        .formatted(
            last.everywhere("c"),
            source.keys("c"),
            source.ledger(),
            last.view(),
            source.isSameKey("l", "c"),
            source.aboveFloor("l"),
            ImageFunctions.PARTIAL_IMAGE,
            ImageFunctions.PREVIOUS_PLACE);
  }

  /** Those of which the base table knows what the row was, after it had come and before it left. */
  private String seenAt(Known arrivals) {
    return """
        SELECT %s c.cdc_ord FROM %s t JOIN %s c ON %s
        AND %s >= %s AND t.cdc_ord < c.tidemark_until"""
        .formatted(
            arrivals.everywhere("c"),
            source.base().sql(),
            arrivals.view(),
            source.isSameKey("t", "c"),
            MergeStatement.placeOf("t.cdc_ord"),
            MergeStatement.placeOf("c.tidemark_arrived"));
  }

  /** All that happened to the keys of a chain, as far as the ledger knows. */
  private String changes(Known chain) {
    return """
        SELECT %s c.cdc_ord, collect_set(struct(%s AS key, l.cdc_ord AS ord, l.op,
        l.before_image, l.after_image, l.cdc_key_changed)) AS changes
        FROM %s l JOIN %s c ON %s AND l.cdc_ord < c.tidemark_until WHERE l.op <> 'T'%s GROUP BY c.cdc_ord"""
        .formatted(
            chain.everywhere("c"),
            source.keyText("c"),
            source.ledger(),
            chain.view(),
            source.isSameKey("l", "c"),
            source.aboveFloor("l"));
  }

  /** What the base table says of the keys of a chain. */
  private String rows(Known chain) {
    return """
        SELECT %s c.cdc_ord, collect_set(struct(%s AS key, t.cdc_ord AS ord,
        coalesce(t.cdc_deleted, false) AS deleted, array(%s) AS texts)) AS rows
        FROM %s t JOIN %s c ON %s AND %s AND (t.cdc_ord IS NULL OR t.cdc_ord < c.tidemark_until)
        GROUP BY c.cdc_ord"""
        .formatted(
            chain.everywhere("c"),
            source.keyText("c"),
            baseTexts(),
            source.base().sql(),
            chain.view(),
            source.isSameKey("t", "c"),
            source.isNotTruncated("t"));
  }

  private String baseTexts() {
    return source.columns().values().stream()
        .map(field -> TextCast.text("t." + MergeStatement.quoted(field.name()), field))
        .collect(Collectors.joining(", "));
  }

  private String images(Known inserts, Known chain) {
    return """
        SELECT p.cdc_ord, %s(p.after_image, p.cdc_ord, c.changes, r.rows) AS completed FROM %s p
        LEFT JOIN (%s) c ON c.cdc_ord = p.cdc_ord LEFT JOIN (%s) r ON r.cdc_ord = p.cdc_ord"""
        .formatted(ImageFunctions.COMPLETE, inserts.view(), changes(chain), rows(chain));
  }

  private long unknown(Known images) {
    Dataset<Row> sum =
        spark.sql("SELECT coalesce(sum(completed.unknown), 0) FROM " + images.view());
    long unknown = sum.collectAsList().get(0).getLong(0);
    shuffledBytes += ShuffledBytes.ofQuery(sum);
    return unknown;
  }

  /** The completed images go to every task, if they are few, so the increment keeps its buckets. */
  private String increment(Known images) {
    String others =
        Stream.concat(
                source.columns().identity().stream().map(MergeStatement::quoted),
                Stream.of("op", "before_image", "cdc_ord", "cdc_source_time", "cdc_key_changed"))
            .map(name -> "i." + name)
            .collect(Collectors.joining(", "));
    return "SELECT %s %s, coalesce(r.completed.image, i.after_image) AS after_image FROM %s i LEFT JOIN %s r ON r.cdc_ord = i.cdc_ord"
        .formatted(images.everywhere("r"), others, source.increment(), images.view());
  }

  /**
   * Rows that were computed once: what one step has found must not change when a later one asks
   * again.
   */
  private record Known(String view, long rows, long characters) {
    private String everywhere(String alias) {
      return rows <= FEW_ROWS && characters <= FEW_CHARACTERS
          ? "/*+ BROADCAST(" + alias + ") */"
          : "";
    }
  }

  /**
   * Kept as an RDD: Spark 4.0 fails on cached plans and local checkpoints below such a MERGE. Of
   * the query's own execution, since {@code Dataset.javaRDD()} begins another that tells nobody
   * what it shuffled.
   */
  private Known known(String name, String query) {
    Dataset<Row> rows = spark.sql(query);
    StructType schema = rows.schema();
    JavaRDD<Row> once =
        ((org.apache.spark.sql.classic.Dataset<Row>) rows)
            .queryExecution()
            .toRdd()
            .toJavaRDD()
            .mapPartitions(part -> rows(part, schema))
            .persist(StorageLevel.MEMORY_AND_DISK());
    kept.add(once);
    String view = view(name, spark.createDataFrame(once, schema));
    long count = once.count();
    shuffledBytes += ShuffledBytes.ofQuery(rows);
    return new Known(view, count, once.map(KeyChanges::characters).fold(0L, Long::sum));
  }

  private static Iterator<Row> rows(Iterator<InternalRow> internal, StructType schema) {
    Function1<Object, Object> toRow = CatalystTypeConverters.createToScalaConverter(schema);
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(internal, 0), false)
        .map(row -> (Row) toRow.apply(row))
        .iterator();
  }

  /** About how much a row holds. */
  private static long characters(Row row) {
    long sum = 0;
    for (int i = 0; i < row.size(); i++) {
      Object value = row.get(i);
      if (value instanceof String text) {
        sum += text.length();
      } else if (value instanceof Row inner) {
        sum += characters(inner);
      }
    }
    return sum;
  }

  /** What the search for the old rows has cost so far. */
  long shuffledBytes() {
    return shuffledBytes;
  }

  private String view(String name, Dataset<Row> rows) {
    String view = source.increment() + "_" + name;
    rows.createOrReplaceTempView(view);
    views.add(view);
    return view;
  }

  /** Drops its views and gives back what it holds. */
  @Override
  public void close() {
    views.forEach(spark.catalog()::dropTempView);
    kept.forEach(JavaRDD::unpersist);
  }
}
