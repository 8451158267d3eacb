package dev.tidemark.pinot.flink.sql;

import dev.tidemark.pinot.PinotTable;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.pinot.segment.local.utils.IngestionUtils;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;

/**
 * Compares the columns of a table in Flink with those of the table in Pinot, so that a wrong one is
 * found when a statement is planned, not at its first row.
 */
final class ColumnTypes {
  private static final Set<LogicalTypeRoot> WHOLE_UP_TO_INT =
      Set.of(LogicalTypeRoot.TINYINT, LogicalTypeRoot.SMALLINT, LogicalTypeRoot.INTEGER);
  private static final Set<LogicalTypeRoot> WHOLE = with(WHOLE_UP_TO_INT, LogicalTypeRoot.BIGINT);
  private static final Set<LogicalTypeRoot> TEXT =
      Set.of(LogicalTypeRoot.CHAR, LogicalTypeRoot.VARCHAR);
  private static final Set<LogicalTypeRoot> BYTES =
      Set.of(LogicalTypeRoot.BINARY, LogicalTypeRoot.VARBINARY);
  private static final Set<LogicalTypeRoot> TIMES =
      Set.of(
          LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE,
          LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE,
          LogicalTypeRoot.DATE);

  private final PinotTable table;
  private final TableConfig config;
  private final Schema schema;

  ColumnTypes(PinotTable table, TableConfig config, Schema schema) {
    this.table = table;
    this.config = config;
    this.schema = schema;
  }

  /**
   * Checks all columns.
   *
   * @param needed columns of Pinot that rows cannot do without
   * @throws ValidationException that names the first column that does not fit
   */
  void check(RowType rows, List<String> needed) {
    Set<String> read = IngestionUtils.getFieldsForRecordExtractor(config, schema);
    for (RowType.RowField field : rows.getFields()) {
      FieldSpec spec = schema.getFieldSpecFor(field.getName());
      if (spec != null && !fits(spec, field.getType())) {
        throw new ValidationException(
            "Invalid type of column \"%s\" of table %s: %s, where Pinot has %s (expected: %s)"
                .formatted(
                    field.getName(),
                    table,
                    field.getType().asSummaryString(),
                    described(spec),
                    expected(spec)));
      }
      if (spec == null && !read.contains(field.getName())) {
        throw new ValidationException(
            "Unknown column \"%s\" of table %s (expected: a column in Pinot, or one that its ingestion transforms or filter read: %s)"
                .formatted(field.getName(), table, new TreeSet<>(read)));
      }
    }
    needed.forEach(column -> checkThere(rows, column));
  }

  private void checkThere(RowType rows, String column) {
    if (rows.getFieldIndex(column) < 0 && !isDerived(column)) {
      throw new ValidationException(
          "Missing column \"%s\" of table %s, which Pinot cannot do without: the columns are %s (expected: also \"%s\", of type %s)"
              .formatted(
                  column,
                  table,
                  rows.getFieldNames(),
                  column,
                  expected(schema.getFieldSpecFor(column))));
    }
  }

  private boolean isDerived(String column) {
    FieldSpec spec = schema.getFieldSpecFor(column);
    boolean byTransform =
        config.getIngestionConfig() != null
            && config.getIngestionConfig().getTransformConfigs() != null
            && config.getIngestionConfig().getTransformConfigs().stream()
                .anyMatch(transform -> transform.getColumnName().equals(column));
    return byTransform || (spec != null && spec.getTransformFunction() != null);
  }

  private static boolean fits(FieldSpec spec, LogicalType type) {
    if (spec.isSingleValueField()) {
      return fitsOne(spec, type);
    }
    return type instanceof ArrayType array && fitsOne(spec, array.getElementType());
  }

  private static boolean fitsOne(FieldSpec spec, LogicalType type) {
    return accepted(spec).contains(type.getTypeRoot());
  }

  /** What a column takes without a loss, and times where it holds times. */
  private static Set<LogicalTypeRoot> accepted(FieldSpec spec) {
    Set<LogicalTypeRoot> accepted =
        switch (spec.getDataType()) {
          case INT -> WHOLE_UP_TO_INT;
          case LONG -> WHOLE;
          case FLOAT -> Set.of(LogicalTypeRoot.FLOAT);
          case DOUBLE -> with(WHOLE_UP_TO_INT, LogicalTypeRoot.FLOAT, LogicalTypeRoot.DOUBLE);
          case BIG_DECIMAL -> with(WHOLE, LogicalTypeRoot.DECIMAL);
          case BOOLEAN -> Set.of(LogicalTypeRoot.BOOLEAN);
          case TIMESTAMP -> TIMES;
          case STRING -> TEXT;
          case BYTES -> BYTES;
          case JSON -> with(TEXT, LogicalTypeRoot.ROW, LogicalTypeRoot.MAP, LogicalTypeRoot.ARRAY);
          case MAP -> Set.of(LogicalTypeRoot.MAP, LogicalTypeRoot.ROW);
          default -> Set.of();
        };
    boolean holdsTimes = spec instanceof DateTimeFieldSpec && spec.getDataType() != DataType.INT;
    return holdsTimes ? with(accepted, TIMES.toArray(LogicalTypeRoot[]::new)) : accepted;
  }

  private static String described(FieldSpec spec) {
    return spec.isSingleValueField()
        ? spec.getDataType().toString()
        : "several values of " + spec.getDataType();
  }

  private static String expected(FieldSpec spec) {
    String one = String.join(" or ", names(accepted(spec)));
    return spec.isSingleValueField() ? one : "an ARRAY of " + one;
  }

  private static Set<String> names(Set<LogicalTypeRoot> roots) {
    Set<String> names = new TreeSet<>();
    roots.forEach(root -> names.add(name(root)));
    return names;
  }

  private static String name(LogicalTypeRoot root) {
    return switch (root) {
      case INTEGER -> "INT";
      case CHAR, VARCHAR -> "STRING";
      case BINARY, VARBINARY -> "BYTES";
      case TIMESTAMP_WITHOUT_TIME_ZONE -> "TIMESTAMP";
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> "TIMESTAMP_LTZ";
      default -> root.name();
    };
  }

  private static Set<LogicalTypeRoot> with(Set<LogicalTypeRoot> some, LogicalTypeRoot... more) {
    Set<LogicalTypeRoot> all = new TreeSet<>(some);
    Stream.of(more).forEach(all::add);
    return Set.copyOf(all);
  }
}
