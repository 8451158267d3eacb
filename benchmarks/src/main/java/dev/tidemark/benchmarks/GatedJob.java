package dev.tidemark.benchmarks;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.FlinkSchemaUtil;
import org.apache.iceberg.flink.TableLoader;
import org.jspecify.annotations.Nullable;

/**
 * A job that runs all the time and works when it is told to: writes a number of rows, or takes a
 * checkpoint and commits it. One source, one sink, parallelism 1, so that both share a thread.
 */
final class GatedJob implements AutoCloseable {
  private static final long ON_REQUEST_MILLIS = TimeUnit.DAYS.toMillis(1);
  private static final long PATIENCE_SECONDS = 120;
  private static final long LOOK_MILLIS = 2;

  private final MiniCluster cluster;
  private final JobID id;
  private final String name;
  private final RowGate gate;
  private final @Nullable Table table;
  private ThreadWork reading;

  private GatedJob(
      MiniCluster cluster, JobID id, String name, RowGate gate, @Nullable Table table) {
    this.cluster = cluster;
    this.id = id;
    this.name = name;
    this.gate = gate;
    this.table = table;
    this.reading = ThreadWork.of(name);
  }

  /**
   * Starts a job whose sink commits to a new table.
   *
   * @param name of the table; must be in the names of all threads that do the sink's work
   */
  static GatedJob committing(
      MiniCluster cluster,
      LocalTables tables,
      String name,
      RowData[] rows,
      BiConsumer<DataStream<RowData>, TableLoader> sink)
      throws Exception {
    Table table = tables.create(name, OrderRows.SCHEMA, Map.of());
    StreamExecutionEnvironment env = environment();
    RowGate gate = RowGate.create(name, rows);
    sink.accept(rows(env, name), tables.loader(name));
    return new GatedJob(cluster, submit(cluster, env), name, gate, table);
  }

  /** Starts a job whose sink throws all rows away: what source and task cost without a sink. */
  static GatedJob discarding(MiniCluster cluster, String name, RowData[] rows) throws Exception {
    StreamExecutionEnvironment env = environment();
    RowGate gate = RowGate.create(name, rows);
    rows(env, name).sinkTo(new DiscardingSink()).name(name);
    return new GatedJob(cluster, submit(cluster, env), name, gate, null);
  }

  /** Has the job write this many rows. */
  void write(long rows) throws Exception {
    await(gate.release(rows));
  }

  /** Has the job take a checkpoint and, if it has a table, commit it. */
  void commit() throws Exception {
    Long before = head();
    await(cluster.triggerCheckpoint(id, CheckpointType.FULL));
    while (table != null && Objects.equals(head(), before)) {
      requireRunning();
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  /** What the job's threads did since the last call. */
  ThreadWork work() {
    ThreadWork now = ThreadWork.of(name);
    ThreadWork done = now.since(reading);
    reading = now;
    return done;
  }

  /** Deletes the data files of the last commit: nobody reads them, and they fill the disk. */
  void deleteNewFiles() {
    Table committed = Objects.requireNonNull(table, "the job has no table");
    SnapshotChanges.builderFor(committed)
        .build()
        .addedDataFiles()
        .forEach(file -> committed.io().deleteFile(file.location()));
  }

  /** The table, refreshed. */
  Table table() {
    Table committed = Objects.requireNonNull(table, "the job has no table");
    committed.refresh();
    return committed;
  }

  /** Cancels the job. */
  @Override
  public void close() throws Exception {
    await(cluster.cancelJob(id));
    await(cluster.requestJobResult(id));
  }

  private @Nullable Long head() {
    if (table == null) {
      return null;
    }
    table.refresh();
    return table.currentSnapshot() == null ? null : table.currentSnapshot().snapshotId();
  }

  private void requireRunning() throws Exception {
    JobStatus status = cluster.getJobStatus(id).get();
    if (status != JobStatus.RUNNING) {
      throw new IllegalStateException(
          "Cannot go on with job " + name + ": it is " + status + " (expected: RUNNING)", cause());
    }
  }

  private @Nullable Throwable cause() throws Exception {
    AccessExecutionGraph graph = cluster.getExecutionGraph(id).get();
    return graph.getFailureInfo() == null ? null : graph.getFailureInfo().getException();
  }

  private static StreamExecutionEnvironment environment() {
    Configuration conf = new Configuration();
    conf.set(PipelineOptions.OBJECT_REUSE, true);
    conf.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    StreamExecutionEnvironment env = new StreamExecutionEnvironment(conf);
    env.setParallelism(1);
    env.enableCheckpointing(ON_REQUEST_MILLIS);
    // Flink draws the time of the first periodic checkpoint between this pause and the interval.
    env.getCheckpointConfig().setMinPauseBetweenCheckpoints(ON_REQUEST_MILLIS);
    return env;
  }

  private static DataStream<RowData> rows(StreamExecutionEnvironment env, String gate) {
    return env.fromSource(
        new GatedSource(gate),
        WatermarkStrategy.noWatermarks(),
        gate,
        InternalTypeInfo.of(FlinkSchemaUtil.convert(OrderRows.SCHEMA)));
  }

  private static JobID submit(MiniCluster cluster, StreamExecutionEnvironment env)
      throws Exception {
    JobID id = cluster.submitJob(env.getStreamGraph().getJobGraph()).get().getJobID();
    while (!isRunning(cluster, id)) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
    return id;
  }

  private static boolean isRunning(MiniCluster cluster, JobID id) throws Exception {
    AccessExecutionGraph graph = cluster.getExecutionGraph(id).get();
    if (graph.getFailureInfo() != null) {
      throw new IllegalStateException("Cannot start a job", graph.getFailureInfo().getException());
    }
    for (var vertex : graph.getAllExecutionVertices()) {
      if (vertex.getExecutionState() != ExecutionState.RUNNING) {
        return false;
      }
    }
    return true;
  }

  private static void await(CompletableFuture<?> future) throws Exception {
    future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
