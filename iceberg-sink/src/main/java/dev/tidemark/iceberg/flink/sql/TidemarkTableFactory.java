package dev.tidemark.iceberg.flink.sql;

import dev.tidemark.finalization.flink.sql.FinalizationOptions;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.iceberg.flink.FlinkDynamicTableFactory;

/** Sources and dynamic sinks of the stock factory; sinks of ours. */
final class TidemarkTableFactory extends FlinkDynamicTableFactory {
  private static final String DYNAMIC_SINK = "use-dynamic-iceberg-sink";

  private final TidemarkCatalog catalog;

  TidemarkTableFactory(TidemarkCatalog catalog) {
    super(catalog);
    this.catalog = catalog;
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    ObjectIdentifier table = context.getObjectIdentifier();
    Map<String, String> options = context.getCatalogTable().getOptions();
    Optional<SinkSettings> settings = SinkSettings.read(options);
    if (!Boolean.parseBoolean(options.get(DYNAMIC_SINK))) {
      return new TidemarkTableSink(
          catalog.tableLoader(table.toObjectPath()),
          context.getCatalogTable().getResolvedSchema(),
          context.getConfiguration(),
          options,
          settings);
    }
    if (settings.isPresent()) {
      throw new ValidationException(
          "Cannot finalize %s with the dynamic sink: '%s' = 'true' beside options %s* (expected: one of them, since the dynamic sink writes many tables)"
              .formatted(table.asSummaryString(), DYNAMIC_SINK, FinalizationOptions.PREFIX));
    }
    return super.createDynamicTableSink(context);
  }
}
