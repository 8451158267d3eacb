package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.coverage.Coverage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.flink.TableLoader;
import org.jspecify.annotations.Nullable;

/** The aggregator of a sink without coverage. */
final class PlainAggregator extends CommitAggregator
    implements OneInputStreamOperator<
        CommittableMessage<CountedWriteResult>, CommittableMessage<SinkCommittable>> {
  private static final long serialVersionUID = 1L;

  PlainAggregator(
      TableLoader tableLoader,
      Accumulators<RowData> accumulators,
      CommitIds commitIds,
      boolean inputDeclaredComplete) {
    super(tableLoader, accumulators, commitIds, inputDeclaredComplete);
  }

  @Override
  public void processElement(StreamRecord<CommittableMessage<CountedWriteResult>> element) {
    accept(element.getValue());
  }

  @Override
  @Nullable Coverage coverage() {
    return null;
  }
}
