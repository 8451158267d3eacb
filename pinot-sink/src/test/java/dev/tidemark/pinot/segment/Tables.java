package dev.tidemark.pinot.segment;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.jspecify.annotations.Nullable;

/** Tables and rows that tests share. */
final class Tables {
  static final long T0 = 1_767_225_600_000L; // 2026-01-01T00:00:00Z

  private Tables() {}

  /** A column of every type that Pinot has, and a time column. */
  static Schema everyType() {
    return new Schema.SchemaBuilder()
        .setSchemaName("every")
        .setEnableColumnBasedNullHandling(true)
        .addSingleValueDimension("i", DataType.INT)
        .addSingleValueDimension("l", DataType.LONG)
        .addSingleValueDimension("f", DataType.FLOAT)
        .addSingleValueDimension("d", DataType.DOUBLE)
        .addMetric("m", DataType.DOUBLE)
        .addSingleValueDimension("dec", DataType.BIG_DECIMAL)
        .addSingleValueDimension("bool", DataType.BOOLEAN)
        .addSingleValueDimension("ts", DataType.TIMESTAMP)
        .addSingleValueDimension("s", DataType.STRING)
        .addSingleValueDimension("j", DataType.JSON)
        .addSingleValueDimension("b", DataType.BYTES)
        .addMultiValueDimension("is", DataType.INT)
        .addMultiValueDimension("ls", DataType.LONG)
        .addMultiValueDimension("fs", DataType.FLOAT)
        .addMultiValueDimension("ds", DataType.DOUBLE)
        .addMultiValueDimension("bools", DataType.BOOLEAN)
        .addMultiValueDimension("tss", DataType.TIMESTAMP)
        .addMultiValueDimension("ss", DataType.STRING)
        .addMultiValueDimension("bs", DataType.BYTES)
        .addDateTime("at", DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
        .build();
  }

  static TableConfigBuilder offline(String name) {
    return new TableConfigBuilder(TableType.OFFLINE).setTableName(name);
  }

  static TableConfig everyTypeConfig() {
    return offline("every").setTimeColumnName("at").build();
  }

  static SegmentTable everyTypeTable() {
    return SegmentTable.of(everyTypeConfig(), everyType());
  }

  static SegmentIdentity identity(String name) {
    return new SegmentIdentity(name, T0, Map.of("fact", "a;b=c"));
  }

  /** A row of names and values in turn; null is a value. */
  static GenericRow row(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    GenericRow row = new GenericRow();
    fields.forEach(row::putValue);
    return row;
  }
}
