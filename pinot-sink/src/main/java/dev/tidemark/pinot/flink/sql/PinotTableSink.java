package dev.tidemark.pinot.flink.sql;

import dev.tidemark.pinot.flink.PinotSink;
import dev.tidemark.pinot.flink.PinotSinkBuilder;
import dev.tidemark.pinot.row.RowDataGenericRowConverter;
import java.util.Optional;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.operators.InputFormatOperatorFactory;
import org.apache.flink.streaming.api.transformations.LegacySourceTransformation;
import org.apache.flink.streaming.api.transformations.WithBoundedness;
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
      finalization.ifPresent(settings -> settings.configure(sink));
      return sink.build();
    } catch (IllegalArgumentException e) {
      throw new ValidationException(e.getMessage(), e);
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
      finalization.ifPresent(settings -> checkBounded(settings, rows));
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

  /** An endless input never is complete, but a drain would end it as if it were. */
  private static void checkBounded(FinalizationSettings settings, DataStream<RowData> rows) {
    boolean endless =
        rows.getTransformation().getTransitivePredecessors().stream()
            .anyMatch(PinotTableSink::isEndless);
    if (settings.inputIsComplete() && endless) {
      throw new ValidationException(
          "Cannot declare an unbounded input complete: '%s' = 'true' (expected: every source bounded, since a drain would end the input too early). Leave the option out."
              .formatted(PinotFinalizationOptions.INPUT_IS_COMPLETE.key()));
    }
  }

  /** VALUES reads an input format, which ends, though in STREAMING mode Flink does not say so. */
  private static boolean isEndless(Transformation<?> step) {
    boolean readsFormat =
        step instanceof LegacySourceTransformation<?> source
            && source.getOperatorFactory() instanceof InputFormatOperatorFactory;
    return step instanceof WithBoundedness source
        && source.getBoundedness() != Boundedness.BOUNDED
        && !readsFormat;
  }
}
