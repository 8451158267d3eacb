package dev.tidemark.benchmarks;

import java.util.List;
import java.util.SplittableRandom;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;

/**
 * Rows of ten columns from a seed: texts of 100, 10,000 and only distinct values, two ints, two
 * longs, a double, a timestamp, a boolean.
 */
final class PinotRows {
  /** The columns that are left without a dictionary in the second configuration. */
  static final List<String> RAW = List.of("order_id", "price", "ordered_at");

  private static final String TABLE = "orders";
  private static final long START_MILLIS = 1_767_225_600_000L;

  private final SplittableRandom random;
  private int made;

  PinotRows(long seed) {
    this.random = new SplittableRandom(seed);
  }

  static Schema schema() {
    return new Schema.SchemaBuilder()
        .setSchemaName(TABLE)
        .addSingleValueDimension("region", DataType.STRING)
        .addSingleValueDimension("product", DataType.STRING)
        .addSingleValueDimension("order_id", DataType.STRING)
        .addSingleValueDimension("quantity", DataType.INT)
        .addSingleValueDimension("store", DataType.INT)
        .addSingleValueDimension("customer", DataType.LONG)
        .addSingleValueDimension("campaign", DataType.LONG)
        .addMetric("price", DataType.DOUBLE)
        .addDateTime("ordered_at", DataType.TIMESTAMP, "TIMESTAMP", "1:MILLISECONDS")
        .addSingleValueDimension("gift", DataType.BOOLEAN)
        .build();
  }

  static TableConfig config(List<String> rawColumns) {
    return new TableConfigBuilder(TableType.OFFLINE)
        .setTableName(TABLE)
        .setTimeColumnName("ordered_at")
        .setNoDictionaryColumns(rawColumns)
        .build();
  }

  GenericRow next() {
    GenericRow row = new GenericRow();
    row.putValue("region", "region-" + random.nextInt(100));
    row.putValue("product", "product-" + random.nextInt(10_000));
    row.putValue("order_id", "order-" + Long.toHexString(random.nextLong()) + "-" + made);
    row.putValue("quantity", 1 + random.nextInt(50));
    row.putValue("store", random.nextInt(100_000));
    row.putValue("customer", 1_000_000_000L + random.nextInt(1_000_000));
    row.putValue("campaign", (long) random.nextInt(500));
    row.putValue("price", random.nextInt(1_000_000) / 100.0);
    row.putValue("ordered_at", START_MILLIS + 7L * made + random.nextInt(60_000));
    row.putValue("gift", random.nextInt(10) == 0);
    made++;
    return row;
  }
}
