package dev.tidemark.spark.bootstrap;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.spark.merge.BaseLoad;
import dev.tidemark.spark.plan.SessionSettings;
import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Loads an empty base table from a dump, in one commit. Every row gets the order of the dump's
 * position, and that order becomes the ledger's floor: changes that the dump holds already change
 * nothing when the ledger brings them, and later ones win. Overlap is absorbed, so the ledger may
 * start anywhere at or before the position; it must not start after it.
 *
 * <p>From then on the base table claims everything before the ledger's own start too.
 */
public final class Bootstrap {
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.session.timeZone", "UTC",
          "spark.sql.ansi.enabled", "true",
          "spark.sql.datetime.java8API.enabled", "true");

  private final SparkSession spark;
  private final TableName base;
  private final TableName ledger;

  /** A bootstrap of a base table whose changes a ledger will bring. */
  public Bootstrap(SparkSession spark, TableName base, TableName ledger) {
    this.spark = spark;
    this.base = base;
    this.ledger = ledger;
  }

  /**
   * Loads the rows.
   *
   * @param position which the dump holds every change up to: taken before its first row is read
   * @return the base table's snapshot
   * @throws IllegalStateException if the ledger was loaded or merged already, or the base table has
   *     rows of no ledger
   * @throws IllegalArgumentException if the type of a column of the base table would round or cut
   *     off what the dump's may hold; no row was read
   */
  public long load(BinlogPosition position, Dataset<Row> dump) {
    Table table = SparkTables.loadBase(spark, base);
    MergeState state = MergeState.of(table);
    if (state.of(ledger.inCatalog()).isIn()) {
      throw new IllegalStateException(
          "Cannot bootstrap %s: ledger %s is in it already (expected: a base table that has never been merged or loaded; drop it and create it again)"
              .formatted(base, ledger));
    }
    if (state.ledgers().isEmpty() && hasRows(table)) {
      throw new IllegalStateException(
          "Cannot bootstrap %s: it has rows that no merge and no dump of ours brought, and would have each key twice (expected: an empty base table; drop it and create it again)"
              .formatted(base));
    }
    Table changes = SparkTables.load(spark, ledger);
    BaseColumns columns = BaseColumns.of(base.toString(), table.schema(), changes.schema());
    expectTypesThatFit(columns, dump);
    MergeState.Ledger loaded =
        MergeState.Ledger.NEW.bootstrappedAt(position.cdcOrd()).ofTable(changes.uuid().toString());
    MergeState after = state.with(ledger.inCatalog(), loaded);
    return SessionSettings.run(
        spark,
        SETTINGS,
        () -> BaseLoad.of(table, after).append(spark, base, rows(columns, position, dump)));
  }

  private static boolean hasRows(Table table) {
    Snapshot head = table.currentSnapshot();
    Map<String, String> summary = head == null ? null : head.summary();
    return head != null
        && (summary == null
            || !"0".equals(summary.getOrDefault(SnapshotSummary.TOTAL_RECORDS_PROP, "1")));
  }

  /** A cast would round decimals and cut times off without a word, as no merge does. */
  private void expectTypesThatFit(BaseColumns columns, Dataset<Row> dump) {
    List<String> lossy = new ArrayList<>();
    for (NestedField field : columns.ofTheSource()) {
      DataType from = dump.select(column(dump, field)).schema().fields()[0].dataType();
      DataType to = SparkSchemaUtil.convert(field.type());
      if (!TypeFit.isExact(from, to)) {
        lossy.add("%s is %s, in the source %s".formatted(field.name(), to.sql(), from.sql()));
      }
    }
    if (!lossy.isEmpty()) {
      throw new IllegalArgumentException(
          "Cannot bootstrap %s: columns do not hold all that the source's values say: %s (expected: types that do, else values would be rounded or cut off). Alter the base column, or make the table again with the source's type; or leave a column that is no key out of the base table, and name it to merge with --ignored."
              .formatted(base, String.join("; ", lossy)));
    }
  }

  private Dataset<Row> rows(BaseColumns columns, BinlogPosition position, Dataset<Row> dump) {
    List<Column> selected = new ArrayList<>();
    if (columns.hasKeyHash()) {
      selected.add(KeyHash.of(columns.key()).as(BaseColumns.PK_HASH));
    }
    columns.ofTheSource().forEach(field -> selected.add(cast(dump, field)));
    selected.add(functions.lit(position.cdcOrd()).as(BaseColumns.CDC_ORD));
    selected.add(functions.lit(position.time()).as(BaseColumns.SOURCE_TIME));
    selected.add(functions.lit(false).as(BaseColumns.DELETED));
    return dump.select(selected.toArray(Column[]::new));
  }

  /**
   * A column in the base table's type; fails for a number that is too large for it. A string is
   * made anew: one read as VARCHAR drags its length along, and Spark then takes it for incompatible
   * with the table's.
   */
  private Column cast(Dataset<Row> dump, NestedField field) {
    Column value = column(dump, field);
    if (field.type().typeId() == Type.TypeID.STRING) {
      return functions.concat(value.cast(DataTypes.StringType), functions.lit("")).as(field.name());
    }
    DataType type = SparkSchemaUtil.convert(field.type());
    Column refused =
        functions.raise_error(
            functions.concat(
                functions.lit(
                    "Cannot bootstrap %s: column %s is %s, which does not hold the source's value "
                        .formatted(base, field.name(), type.sql())),
                value.cast(DataTypes.StringType),
                functions.lit(" (expected: a type that does; alter the base column)")));
    return functions
        .when(value.isNull().or(value.try_cast(type).isNotNull()), value.try_cast(type))
        .otherwise(refused)
        .as(field.name());
  }

  private static Column column(Dataset<Row> dump, NestedField field) {
    return dump.col("`" + field.name() + "`");
  }
}
