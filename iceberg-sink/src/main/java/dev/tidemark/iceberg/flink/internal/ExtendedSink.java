package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.iceberg.commit.CommitPlan;
import java.io.IOException;
import java.time.Clock;
import org.apache.flink.api.common.SupportsConcurrentExecutionAttempts;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.IcebergSink;
import org.apache.iceberg.io.WriteResult;
import org.jspecify.annotations.Nullable;

/**
 * The stock sink, wrapped: its writer and its pre-write topology as they are, its aggregator and
 * committer replaced by ours under the same names and uids.
 *
 * <pre>{@code
 * rows -> [stock pre-write] -> writer 1..n ------\
 *              (stock writer, then accumulators)  > aggregator (1) -> committer (subtask 0)
 * source reports, if any -----------------------/
 * }</pre>
 */
public final class ExtendedSink
    implements Sink<RowData>,
        SupportsPreWriteTopology<RowData>,
        SupportsCommitter<SinkCommittable>,
        SupportsPreCommitTopology<CountedWriteResult, SinkCommittable>,
        SupportsConcurrentExecutionAttempts {
  private static final long serialVersionUID = 1L;

  private final IcebergSink stock;
  private final TableLoader tableLoader;
  private final String suffix;
  private final Accumulators<RowData> accumulators;
  private final CommitPlan plan;
  private final CommitOptions options;
  private final CommitIds commitIds = new CommitIds(Clock.systemUTC());
  private final transient @Nullable DataStream<byte[]> sourceReports;

  /**
   * How commits are made.
   *
   * @param workerPoolSize threads that read manifests
   * @param maxAborts how often a hook may refuse one commit before the job fails for good
   * @param inputDeclaredComplete whether the end of input completes the last granule
   */
  public record CommitOptions(int workerPoolSize, int maxAborts, boolean inputDeclaredComplete)
      implements java.io.Serializable {}

  /** Wraps a stock sink; {@code sourceReports} is null without coverage. */
  public ExtendedSink(
      IcebergSink stock,
      TableLoader tableLoader,
      String suffix,
      Accumulators<RowData> accumulators,
      CommitPlan plan,
      CommitOptions options,
      @Nullable DataStream<byte[]> sourceReports) {
    this.stock = stock;
    this.tableLoader = tableLoader;
    this.suffix = suffix;
    this.accumulators = accumulators;
    this.plan = plan;
    this.options = options;
    this.sourceReports = sourceReports;
  }

  @Override
  @SuppressWarnings("unchecked") // the stock writer commits, though its type does not say so
  public SinkWriter<RowData> createWriter(WriterInitContext context) throws IOException {
    return new CountingWriter(
        (CommittingSinkWriter<RowData, WriteResult>) stock.createWriter(context),
        accumulators.create());
  }

  @Override
  public DataStream<RowData> addPreWriteTopology(DataStream<RowData> rows) {
    return stock.addPreWriteTopology(rows);
  }

  @Override
  public DataStream<CommittableMessage<SinkCommittable>> addPreCommitTopology(
      DataStream<CommittableMessage<CountedWriteResult>> results) {
    String name = "Sink pre-commit aggregator: " + suffix;
    TypeInformation<CommittableMessage<SinkCommittable>> type =
        CommittableMessageTypeInfo.of(SinkCommittableSerializer::new);
    boolean complete = options.inputDeclaredComplete();
    DataStream<byte[]> reports = sourceReports;
    SingleOutputStreamOperator<CommittableMessage<SinkCommittable>> aggregated =
        reports == null
            ? results
                .global()
                .transform(
                    name, type, new PlainAggregator(tableLoader, accumulators, commitIds, complete))
            : results
                .global()
                .connect(reports.global())
                .transform(
                    name,
                    type,
                    new CoveredAggregator(tableLoader, accumulators, commitIds, complete));
    // global: every committable goes to the committer's first subtask, the only one that commits.
    return aggregated.uid(name).setParallelism(1).setMaxParallelism(1).global();
  }

  @Override
  public Committer<SinkCommittable> createCommitter(CommitterInitContext context) {
    return new SinkCommitter(
        tableLoader, plan, options.workerPoolSize(), options.maxAborts(), context);
  }

  @Override
  public SimpleVersionedSerializer<SinkCommittable> getCommittableSerializer() {
    return new SinkCommittableSerializer();
  }

  @Override
  public SimpleVersionedSerializer<CountedWriteResult> getWriteResultSerializer() {
    return new CountedWriteResultSerializer();
  }
}
