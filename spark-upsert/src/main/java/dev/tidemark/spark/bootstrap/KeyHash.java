package dev.tidemark.spark.bootstrap;

import dev.tidemark.pipeline.ledger.PrimaryKeyHash;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/**
 * The ledger's hash of a primary key, over the key columns of other rows. Needs {@code
 * spark.sql.datetime.java8API.enabled}, so that dates and times come as java.time.
 */
final class KeyHash {
  private KeyHash() {}

  static Column of(List<NestedField> key) {
    UDF1<Row, Long> hash = KeyHash::hash;
    Column[] columns =
        key.stream()
            .map(
                field ->
                    functions
                        .col("`" + field.name() + "`")
                        .cast(SparkSchemaUtil.convert(field.type())))
            .toArray(Column[]::new);
    return functions.udf(hash, DataTypes.LongType).apply(functions.struct(columns));
  }

  private static Long hash(Row key) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < key.size(); i++) {
      values.add(imageValue(key.get(i)));
    }
    return PrimaryKeyHash.hash(PrimaryKeyHash.text(values));
  }

  /** As a row image of the pipeline holds it. */
  private static @Nullable Object imageValue(@Nullable Object value) {
    if (value instanceof Integer number) {
      return number.longValue();
    } else if (value instanceof byte[] bytes) {
      return ByteBuffer.wrap(bytes);
    }
    return value;
  }
}
