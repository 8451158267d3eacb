package dev.tidemark.pipeline.ledger;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.schema.Column;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.types.logical.RowType;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * The shape of the append-only ledger of one source table: every change is a row, in the order
 *
 * <pre>
 * cdc_event_time   timestamptz  optional  the configured event time; null: the change has none
 * cdc_source_time  timestamptz            the database's time of the change
 * op               string                 I, U, D, R, T
 * pk_hash          long         optional  see PrimaryKeyHash; null for TRUNCATE and without a key
 * ...              key columns  optional  null as pk_hash is
 * before_image     string       optional  canonical JSON, unavailable columns left out
 * after_image      string       optional  as before_image
 * cdc_ord          string                 the total order, see ChangeOrder
 * cdc_snapshot     boolean                read by a snapshot
 * cdc_resent       boolean                sent again by the connector: not late
 * kafka_topic      string
 * kafka_partition  int
 * kafka_offset     long
 * cdc_key_changed  boolean      optional  half of a changed primary key, see below
 * </pre>
 *
 * <p>A change without event time has a null {@code cdc_event_time}, and lies in the partition of
 * null hours. It is <em>not</em> filed under its source time: that would put a row into an hour
 * which may be final already and change what was declared complete. So the column itself says that
 * the change counts as a null event time; {@code cdc_source_time} still says when it happened. A
 * retention rule on {@code cdc_event_time} must name the null rows on their own.
 *
 * <p>A changed primary key is two changes, {@code cdc_key_changed} on both: a DELETE of the old
 * key, and an INSERT of the new one at the next place of the same transaction, so that {@code
 * cdc_ord} tells which two belong together. The INSERT may leave columns out that the old row has.
 */
public final class LedgerSchema implements Serializable {
  public static final String EVENT_TIME = "cdc_event_time";
  public static final String SOURCE_TIME = "cdc_source_time";
  public static final String OP = "op";
  public static final String PK_HASH = "pk_hash";
  public static final String BEFORE_IMAGE = "before_image";
  public static final String AFTER_IMAGE = "after_image";
  public static final String CDC_ORD = "cdc_ord";
  public static final String SNAPSHOT = "cdc_snapshot";
  public static final String RESENT = "cdc_resent";
  public static final String KAFKA_TOPIC = "kafka_topic";
  public static final String KAFKA_PARTITION = "kafka_partition";
  public static final String KAFKA_OFFSET = "kafka_offset";
  public static final String KEY_CHANGED = "cdc_key_changed";

  private static final long serialVersionUID = 1L;

  private static final Set<String> RESERVED =
      Set.of(
          EVENT_TIME,
          SOURCE_TIME,
          OP,
          PK_HASH,
          BEFORE_IMAGE,
          AFTER_IMAGE,
          CDC_ORD,
          SNAPSHOT,
          RESENT,
          KAFKA_TOPIC,
          KAFKA_PARTITION,
          KAFKA_OFFSET,
          KEY_CHANGED);

  private final TableId table;

  @SuppressWarnings("serial") // an immutable list of the JDK
  private final List<KeyColumn> key;

  private final Schema schema;

  private LedgerSchema(TableId table, List<KeyColumn> key) {
    this.table = table;
    this.key = key;
    this.schema = schema(key);
  }

  /**
   * The ledger of a table.
   *
   * @param primaryKey in the order of the key; empty for a table without one, whose ledger cannot
   *     be folded
   * @throws IllegalArgumentException when a key column has the name of a ledger column
   */
  public static LedgerSchema of(TableId table, List<Column> primaryKey) {
    requireNonNull(table, "table is null");
    List<KeyColumn> key = new ArrayList<>();
    for (Column column : primaryKey) {
      if (RESERVED.contains(column.name())) {
        throw new IllegalArgumentException(
            "Cannot build the ledger of %s: its key column \"%s\" has the name of a ledger column (expected: another name; rename it in the source or by a transform)"
                .formatted(table, column.name()));
      }
      key.add(new KeyColumn(column));
    }
    return new LedgerSchema(table, List.copyOf(key));
  }

  private static Schema schema(List<KeyColumn> key) {
    List<NestedField> fields = new ArrayList<>();
    optional(fields, EVENT_TIME, Types.TimestampType.withZone());
    required(fields, SOURCE_TIME, Types.TimestampType.withZone());
    required(fields, OP, Types.StringType.get());
    optional(fields, PK_HASH, Types.LongType.get());
    for (KeyColumn column : key) {
      optional(fields, column.name(), column.icebergType());
    }
    optional(fields, BEFORE_IMAGE, Types.StringType.get());
    optional(fields, AFTER_IMAGE, Types.StringType.get());
    required(fields, CDC_ORD, Types.StringType.get());
    required(fields, SNAPSHOT, Types.BooleanType.get());
    required(fields, RESENT, Types.BooleanType.get());
    required(fields, KAFKA_TOPIC, Types.StringType.get());
    required(fields, KAFKA_PARTITION, Types.IntegerType.get());
    required(fields, KAFKA_OFFSET, Types.LongType.get());
    optional(fields, KEY_CHANGED, Types.BooleanType.get());
    return new Schema(fields);
  }

  private static void optional(List<NestedField> fields, String name, Type type) {
    fields.add(NestedField.optional(fields.size() + 1, name, type));
  }

  private static void required(List<NestedField> fields, String name, Type type) {
    fields.add(NestedField.required(fields.size() + 1, name, type));
  }

  public TableId table() {
    return table;
  }

  public List<Column> primaryKey() {
    return key.stream().map(KeyColumn::column).toList();
  }

  List<KeyColumn> key() {
    return key;
  }

  /** The Iceberg schema to create the table with. */
  public Schema schema() {
    return schema;
  }

  /** The same as Flink's row type, for a sink. */
  public RowType rowType() {
    return FlinkSchemaUtil.convert(schema);
  }

  /**
   * Partitions by {@code hours(cdc_event_time)} and by the key: {@code bucket(n, column)} of a key
   * of one column, as the base table has it, so that a merge needs no shuffle; {@code bucket(n,
   * pk_hash)} of a composite key or of a type without bucket transform; by hours alone without a
   * key.
   *
   * @throws IllegalArgumentException when {@code buckets} is below 1
   */
  public PartitionSpec partitionSpec(int buckets) {
    if (buckets < 1) {
      throw new IllegalArgumentException("buckets: " + buckets + " (expected: >= 1)");
    }
    PartitionSpec.Builder spec = PartitionSpec.builderFor(schema).hour(EVENT_TIME);
    return key.isEmpty() ? spec.build() : spec.bucket(bucketColumn(), buckets).build();
  }

  private String bucketColumn() {
    return key.size() == 1 && key.get(0).bucketable() ? key.get(0).name() : PK_HASH;
  }
}
