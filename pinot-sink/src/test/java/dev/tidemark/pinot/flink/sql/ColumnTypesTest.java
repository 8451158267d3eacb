package dev.tidemark.pinot.flink.sql;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.pinot.PinotTable;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.ingestion.FilterConfig;
import org.apache.pinot.spi.config.table.ingestion.IngestionConfig;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

class ColumnTypesTest {
  private static final PinotTable TABLE = new PinotTable("t", PinotTable.Type.OFFLINE);
  private static final Schema SCHEMA =
      new Schema.SchemaBuilder()
          .setSchemaName("t")
          .addSingleValueDimension("i", FieldSpec.DataType.INT)
          .addSingleValueDimension("l", FieldSpec.DataType.LONG)
          .addSingleValueDimension("f", FieldSpec.DataType.FLOAT)
          .addSingleValueDimension("d", FieldSpec.DataType.DOUBLE)
          .addSingleValueDimension("amt", FieldSpec.DataType.BIG_DECIMAL)
          .addSingleValueDimension("yes", FieldSpec.DataType.BOOLEAN)
          .addSingleValueDimension("at", FieldSpec.DataType.TIMESTAMP)
          .addSingleValueDimension("s", FieldSpec.DataType.STRING)
          .addSingleValueDimension("b", FieldSpec.DataType.BYTES)
          .addSingleValueDimension("j", FieldSpec.DataType.JSON)
          .addMultiValueDimension("m", FieldSpec.DataType.LONG)
          .addDateTime("ts", FieldSpec.DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
          .build();

  @Test
  void everyTypeHasItsOwn() {
    Map<String, List<DataType>> fitting =
        Map.ofEntries(
            Map.entry("i", List.of(DataTypes.INT(), DataTypes.SMALLINT())),
            Map.entry("l", List.of(DataTypes.BIGINT(), DataTypes.INT())),
            Map.entry("f", List.of(DataTypes.FLOAT())),
            Map.entry("d", List.of(DataTypes.DOUBLE(), DataTypes.FLOAT(), DataTypes.INT())),
            Map.entry("amt", List.of(DataTypes.DECIMAL(38, 9), DataTypes.BIGINT())),
            Map.entry("yes", List.of(DataTypes.BOOLEAN())),
            Map.entry("at", List.of(DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP_LTZ(6))),
            Map.entry("s", List.of(DataTypes.STRING(), DataTypes.CHAR(3))),
            Map.entry("b", List.of(DataTypes.BYTES())),
            Map.entry("j", List.of(DataTypes.STRING(), DataTypes.ROW(DataTypes.INT()))),
            Map.entry("m", List.of(DataTypes.ARRAY(DataTypes.BIGINT()))),
            Map.entry("ts", List.of(DataTypes.BIGINT(), DataTypes.TIMESTAMP(3))));
    fitting.forEach(
        (column, types) ->
            types.forEach(
                type ->
                    assertThatCode(() -> check(column, type))
                        .as("%s for %s", type, column)
                        .doesNotThrowAnyException()));
  }

  @Test
  void aTypeThatWouldLoseSomethingIsRefused() {
    refused("i", DataTypes.BIGINT())
        .hasMessageContaining("Invalid type of column \"i\" of table t_OFFLINE: BIGINT")
        .hasMessageContaining("where Pinot has INT (expected: INT or SMALLINT or TINYINT)");
    refused("f", DataTypes.DOUBLE());
    refused("s", DataTypes.INT());
    refused("l", DataTypes.TIMESTAMP(3));
    refused("m", DataTypes.BIGINT())
        .hasMessageContaining("where Pinot has several values of LONG (expected: an ARRAY of");
    refused("l", DataTypes.ARRAY(DataTypes.BIGINT()));
    refused("m", DataTypes.ARRAY(DataTypes.STRING()));
  }

  @Test
  void aColumnThatPinotLacksIsRefusedUnlessItsFilterReadsIt() {
    refused("op", DataTypes.STRING()).hasMessageContaining("Unknown column \"op\"");
    TableConfig filtering = config();
    IngestionConfig ingestion = new IngestionConfig();
    ingestion.setFilterConfig(new FilterConfig("Groovy({op != 'keep'}, op)"));
    filtering.setIngestionConfig(ingestion);
    assertThatCode(
            () ->
                new ColumnTypes(TABLE, filtering, SCHEMA)
                    .check(row("op", DataTypes.STRING()), List.of()))
        .doesNotThrowAnyException();
  }

  @Test
  void aColumnThatPinotCannotDoWithoutMustBeThere() {
    assertThatThrownBy(
            () ->
                new ColumnTypes(TABLE, config(), SCHEMA)
                    .check(row("i", DataTypes.INT()), List.of("i", "ts")))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("Missing column \"ts\" of table t_OFFLINE")
        .hasMessageContaining("the columns are [i]");
  }

  private static AbstractThrowableAssert<?, ?> refused(String column, DataType type) {
    return assertThatThrownBy(() -> check(column, type))
        .as("%s for %s", type, column)
        .isInstanceOf(ValidationException.class);
  }

  private static void check(String column, DataType type) {
    new ColumnTypes(TABLE, config(), SCHEMA).check(row(column, type), List.of());
  }

  private static RowType row(String column, DataType type) {
    return (RowType) DataTypes.ROW(DataTypes.FIELD(column, type)).getLogicalType();
  }

  private static TableConfig config() {
    return new TableConfigBuilder(TableType.OFFLINE).setTableName("t").build();
  }
}
