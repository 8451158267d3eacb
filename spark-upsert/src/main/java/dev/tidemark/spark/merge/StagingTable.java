package dev.tidemark.spark.merge;

import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.CommitMetadata;
import org.apache.spark.sql.SparkSession;

/**
 * The increment once more, with the buckets of the base table: where a ledger is bucketed in
 * another way, its rows are sent over the network once, alone, and the join with the base table
 * then needs no shuffle. Holds one increment at a time; every base table needs its own.
 */
final class StagingTable {
  private static final String ID = "tidemark.staging-id";
  private static final Pattern BUCKET = Pattern.compile("bucket\\[(\\d+)\\]");

  private final SparkSession spark;
  private final TableName name;
  private final BaseColumns columns;

  StagingTable(SparkSession spark, TableName name, BaseColumns columns) {
    this.spark = spark;
    this.name = name;
    this.columns = columns;
  }

  /**
   * Fills it with the changes of a view, and makes a view of that.
   *
   * @return the name of the new view
   * @throws IllegalArgumentException if the base table's partitions are not by bucket or by value
   */
  String fill(Table base, String increment) {
    spark.sql(
        "CREATE TABLE IF NOT EXISTS %s USING iceberg PARTITIONED BY (%s) AS SELECT %s FROM %s LIMIT 0"
            .formatted(name.sql(), partitions(base), selected(), increment));
    String id = UUID.randomUUID().toString();
    CommitMetadata.withCommitProperties(
        Map.of(ID, id),
        () -> {
          spark.sql(
              "INSERT OVERWRITE %s SELECT %s FROM %s WHERE op <> 'T'"
                  .formatted(name.sql(), selected(), increment));
          return null;
        },
        RuntimeException.class);
    String view = viewOf(increment);
    spark
        .read()
        .format("iceberg")
        .option("snapshot-id", Long.toString(snapshotOf(id)))
        .load(name.sql())
        .createOrReplaceTempView(view);
    return view;
  }

  /** The name of the view of what is staged of an increment. */
  static String viewOf(String increment) {
    return increment + "_staged";
  }

  private long snapshotOf(String id) {
    for (Snapshot snapshot : SparkTables.load(spark, name).snapshots()) {
      if (id.equals(snapshot.summary().get(ID))) {
        return snapshot.snapshotId();
      }
    }
    throw new IllegalStateException(
        "Cannot find what was staged in " + name + ": somebody expired its snapshots at once");
  }

  private String selected() {
    List<String> names = new ArrayList<>();
    columns.identity().forEach(column -> names.add(MergeStatement.quoted(column)));
    names.addAll(List.of("op", "before_image", "after_image", "cdc_ord", "cdc_source_time"));
    names.add(LedgerSchema.KEY_CHANGED);
    return String.join(", ", names);
  }

  private static String partitions(Table base) {
    return base.spec().fields().stream()
        .map(field -> partition(base, field))
        .collect(Collectors.joining(", "));
  }

  private static String partition(Table base, PartitionField field) {
    String column = MergeStatement.quoted(base.schema().findColumnName(field.sourceId()));
    Matcher bucket = BUCKET.matcher(field.transform().toString());
    if (bucket.matches()) {
      return "bucket(" + bucket.group(1) + ", " + column + ")";
    }
    if (field.transform().isIdentity()) {
      return column;
    }
    throw new IllegalArgumentException(
        "Cannot stage for %s: it is partitioned by %s of %s (expected: buckets or values of key columns)"
            .formatted(base.name(), field.transform(), column));
  }
}
