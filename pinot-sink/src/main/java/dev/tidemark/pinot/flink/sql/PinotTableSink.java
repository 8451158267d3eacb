package dev.tidemark.pinot.flink.sql;

import dev.tidemark.finalization.flink.sql.BoundedInput;
import dev.tidemark.finalization.flink.sql.FinalizationSettings;
import dev.tidemark.pinot.flink.PinotSink;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import dev.tidemark.pinot.row.RowDataGenericRowConverter;
import java.util.Optional;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;

/**
 * Appends {@link PinotSink} to the plan of an INSERT. Tables with upsert take updates, and
 * deletions if they have a delete column; all others take inserts alone.
 */
final class PinotTableSink implements DynamicTableSink {
  private final TableSettings table;
  private final SinkOptions options;
  private final Optional<FinalizationSettings> finalization;

  PinotTableSink(
      TableSettings table, SinkOptions options, Optional<FinalizationSettings> finalization) {
    this.table = table;
    this.options = options;
    this.finalization = finalization;
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
    return table.changes();
  }

  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    return new Provider(sink());
  }

  @Override
  public DynamicTableSink copy() {
    return new PinotTableSink(table, options, finalization);
  }

  @Override
  public String asSummaryString() {
    return "Pinot table " + table.table();
  }

  private PinotSink<RowData> sink() {
    try {
      PinotSinkBuilder<RowData> sink =
          PinotSink.builder(
              new RowDataGenericRowConverter(table.rows()), table.config(), table.schema());
      options.configure(sink, table.primaryKeyColumns());
      finalization.ifPresent(settings -> configure(sink, settings));
      return sink.build();
    } catch (IllegalArgumentException e) {
      throw new ValidationException(e.getMessage(), e);
    }
  }

  private void configure(PinotSinkBuilder<RowData> sink, FinalizationSettings settings) {
    sink.eventTime(settings.eventTime().as(time -> EventTimeField.of(table.rows(), time)))
        .finalization(settings.config());
    if (settings.inputIsComplete()) {
      sink.inputIsComplete();
    }
  }

  /** Appends the sink where the planner has built its input. */
  private final class Provider implements DataStreamSinkProvider {
    private final PinotSink<RowData> sink;

    Provider(PinotSink<RowData> sink) {
      this.sink = sink;
    }

    @Override
    public DataStreamSink<?> consumeDataStream(ProviderContext context, DataStream<RowData> rows) {
      finalization.ifPresent(settings -> BoundedInput.check(settings, rows));
      DataStreamSink<?> appended = rows.sinkTo(sink).name(asSummaryString());
      context.generateUid("pinot").ifPresent(appended::uid);
      options.parallelism().ifPresent(appended::setParallelism);
      return appended;
    }

    @Override
    public Optional<Integer> getParallelism() {
      return options.parallelism();
    }
  }
}
