package dev.tidemark.pinot.flink.sql;

import dev.tidemark.finalization.flink.sql.FinalizationOptions;
import dev.tidemark.finalization.flink.sql.FinalizationSettings;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.PinotRefusedException;
import dev.tidemark.pinot.controller.PinotUnavailableException;
import dev.tidemark.pinot.flink.ControllerRequestClient;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.Schema;

/**
 * Makes the sinks of tables with {@code 'connector' = 'tidemark-pinot'}. Schema and config of the
 * table are read from the controller when an INSERT is planned, and compared with the columns and
 * the primary key of the table in Flink.
 */
public final class PinotTableFactory implements DynamicTableSinkFactory {
  /** The {@code connector}. */
  public static final String IDENTIFIER = "tidemark-pinot";

  /** For Flink, which finds factories as services. */
  public PinotTableFactory() {}

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.copyOf(PinotTableOptions.REQUIRED);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    Set<ConfigOption<?>> optional = new HashSet<>(PinotTableOptions.OPTIONAL);
    optional.addAll(FinalizationOptions.ALL);
    optional.add(FactoryUtil.SINK_PARALLELISM);
    return optional;
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    helper.validate();
    ReadableConfig options = helper.getOptions();
    RowType rows = (RowType) context.getPhysicalRowDataType().getLogicalType();
    SinkOptions sink = SinkOptions.of(options);
    Documents documents = documents(sink.table(), sink.controller());
    TableSettings table =
        new TableSettings(sink.table(), documents.config(), documents.schema(), rows);
    List<String> primaryKey =
        context
            .getCatalogTable()
            .getResolvedSchema()
            .getPrimaryKey()
            .map(key -> key.getColumns())
            .orElse(List.of());
    table.check(primaryKey);
    Optional<FinalizationSettings> finalization = FinalizationSettings.read(options);
    return new PinotTableSink(table, sink, finalization);
  }

  /** What Pinot says of the table. */
  private record Documents(TableConfig config, Schema schema) {}

  private static Documents documents(PinotTable table, ControllerSettings controller) {
    ControllerRequestClient client = new ControllerRequestClient(controller);
    try {
      return new Documents(
          client.getTableConfig(table.rawName(), TableType.valueOf(table.type().name())),
          client.getSchema(table.rawName()));
    } catch (IOException | PinotRefusedException | PinotUnavailableException e) {
      throw new ValidationException(
          "Cannot read table %s from the controller %s: %s (expected: a table that exists, and a controller that answers)"
              .formatted(table, controller, e.getMessage()),
          e);
    }
  }
}
