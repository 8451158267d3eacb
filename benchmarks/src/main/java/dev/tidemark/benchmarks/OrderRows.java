package dev.tidemark.benchmarks;

import java.util.SplittableRandom;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;

/** Rows of a table of orders as a job would write it, made beforehand from a seed. */
final class OrderRows {
  static final String EVENT_TIME = "ordered_at";

  /** Eight columns: numbers, strings that repeat and strings that do not, the event time. */
  static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "order_id", Types.LongType.get()),
          Types.NestedField.required(2, EVENT_TIME, Types.TimestampType.withZone()),
          Types.NestedField.optional(3, "customer", Types.StringType.get()),
          Types.NestedField.optional(4, "country", Types.StringType.get()),
          Types.NestedField.optional(5, "status", Types.StringType.get()),
          Types.NestedField.optional(6, "amount", Types.DecimalType.of(12, 2)),
          Types.NestedField.optional(7, "quantity", Types.IntegerType.get()),
          Types.NestedField.optional(8, "comment", Types.StringType.get()));

  private static final String[] COUNTRIES = {"DE", "FR", "US", "JP", "BR", "IN", "ZA", "GB"};
  private static final String[] STATES = {"placed", "paid", "packed", "shipped", "returned"};
  private static final String[] WORDS = {
    "leave", "at", "the", "back", "door", "ring", "twice", "call", "before", "noon", "gift", "wrap"
  };

  private OrderRows() {}

  /** Rows whose event times lag behind an hour that passes evenly, some minutes as a rule. */
  static RowData[] of(int size, long seed) {
    long[] times = EventTimes.of(EventTimes::logNormalLag, size, seed);
    SplittableRandom random = new SplittableRandom(seed);
    RowData[] rows = new RowData[size];
    for (int i = 0; i < size; i++) {
      rows[i] =
          GenericRowData.of(
              1_000_000_000L + i,
              TimestampData.fromEpochMillis(times[i], random.nextInt(1_000) * 1_000),
              StringData.fromString("customer-" + random.nextInt(10_000_000)),
              StringData.fromString(oneOf(COUNTRIES, random)),
              StringData.fromString(oneOf(STATES, random)),
              DecimalData.fromUnscaledLong(random.nextLong(1_000_000), 12, 2),
              random.nextInt(1, 100),
              StringData.fromString(comment(random)));
    }
    return rows;
  }

  private static String comment(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(3, 10); i > 0; i--) {
      text.append(oneOf(WORDS, random)).append(' ');
    }
    return text.append(random.nextInt(1_000)).toString();
  }

  private static String oneOf(String[] values, SplittableRandom random) {
    return values[random.nextInt(values.length)];
  }
}
