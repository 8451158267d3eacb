package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PromiseTracker;
import dev.tidemark.finalization.coverage.SourceReport;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.flink.TableLoader;

/**
 * The aggregator of a sink whose source reports where it stands. The second input carries the
 * reports, each emitted before the barrier it belongs to; with aligned barriers all reports of a
 * checkpoint are here when its committable is put together, and the positions in them are exactly
 * those of its rows.
 */
final class CoveredAggregator extends CommitAggregator
    implements TwoInputStreamOperator<
        CommittableMessage<CountedWriteResult>, byte[], CommittableMessage<SinkCommittable>> {
  private static final long serialVersionUID = 1L;

  private transient List<SourceReport> reports = new ArrayList<>();
  private transient PromiseTracker promises = new PromiseTracker();

  CoveredAggregator(
      TableLoader tableLoader,
      Accumulators<RowData> accumulators,
      CommitIds commitIds,
      boolean inputDeclaredComplete) {
    super(tableLoader, accumulators, commitIds, inputDeclaredComplete);
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    reports = new ArrayList<>();
    promises = new PromiseTracker();
  }

  @Override
  public void processElement1(StreamRecord<CommittableMessage<CountedWriteResult>> element) {
    accept(element.getValue());
  }

  @Override
  public void processElement2(StreamRecord<byte[]> element) {
    reports.add(SourceReport.fromBytes(element.getValue()));
  }

  @Override
  Coverage coverage() {
    Coverage coverage = promises.accept(reports);
    reports.clear();
    return coverage;
  }
}
