package dev.tidemark.iceberg.flink.sql;

import dev.tidemark.finalization.flink.sql.BoundedInput;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.flink.IcebergTableSink;
import org.apache.iceberg.flink.TableLoader;

/**
 * The stock table sink (its partitions, its overwrite, its changelog), which appends {@link
 * TidemarkIcebergSink} to the plan. The equality fields of an upsert are the table's identifier
 * fields, that is its primary key.
 */
final class TidemarkTableSink extends IcebergTableSink {
  private final TableLoader loader;
  private final ResolvedSchema schema;
  private final ReadableConfig config;
  private final Map<String, String> options;
  private final Optional<SinkSettings> settings;
  private boolean overwrite;

  TidemarkTableSink(
      TableLoader loader,
      ResolvedSchema schema,
      ReadableConfig config,
      Map<String, String> options,
      Optional<SinkSettings> settings) {
    super(loader, schema, config, options);
    this.loader = loader;
    this.schema = schema;
    this.config = config;
    this.options = options;
    this.settings = settings;
  }

  @Override
  public void applyOverwrite(boolean newOverwrite) {
    super.applyOverwrite(newOverwrite);
    this.overwrite = newOverwrite;
  }

  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    super.getSinkRuntimeProvider(context); // refuses to overwrite from an unbounded input
    return (DataStreamSinkProvider) (provider, rows) -> append(rows);
  }

  @Override
  public DynamicTableSink copy() {
    TidemarkTableSink copy = new TidemarkTableSink(loader, schema, config, options, settings);
    copy.applyOverwrite(overwrite);
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "Tidemark table sink";
  }

  private DataStreamSink<?> append(DataStream<RowData> rows) {
    TidemarkIcebergSink sink =
        TidemarkIcebergSink.forRowData(rows)
            .resolvedSchema(
                ResolvedSchema.of(schema.getColumns().stream().filter(Column::isPhysical).toList()))
            .tableLoader(loader)
            .overwrite(overwrite)
            .setAll(options)
            .flinkConf(config);
    settings.ifPresent(
        present -> {
          BoundedInput.check(present.finalization(), rows);
          present.configure(sink);
        });
    return sink.append();
  }
}
