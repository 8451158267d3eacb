package dev.tidemark.benchmarks;

import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import dev.tidemark.iceberg.flink.TidemarkIcebergSink;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.flink.sink.IcebergSink;

/**
 * CPU time of the stock Iceberg sink over that of ours with event-time facts, finalization and one
 * processor. Three jobs run side by side in one cluster in this JVM and take turns: stock, ours,
 * and one that throws the rows away, whose time is taken from the others'. A round is {@value
 * #ROWS_PER_COMMIT} rows each, in short slices so that a slow moment hits all three, and a
 * checkpoint and its commit each.
 */
final class IcebergOverheadBenchmark implements Benchmark {
  private static final int ROWS_PER_COMMIT = 4_000_000;
  private static final int SLICES = 160;
  private static final int DISTINCT_ROWS = 100_000;
  private static final int WARM_UP_ROUNDS = 4;
  private static final int ROUNDS = 25;
  private static final String STOCK = "orders_stock";
  private static final String OURS = "orders_ours";
  private static final String NONE = "orders_none";
  private static final String PROCESSED = "orders.checkpoint";

  @Override
  public String summary() {
    return "CPU time of the stock Iceberg sink over ours, with facts and finalization";
  }

  @Override
  public Target target() {
    return Target.atLeast(0.98, "of our CPU");
  }

  @Override
  public Figure measure(List<String> arguments, PrintStream out) throws Exception {
    int rounds = Rounds.of(arguments, ROUNDS);
    out.printf(
        "CPU of the sinks' threads; rounds of %,d rows in %d slices, a checkpoint and a commit, in"
            + " alternating order; the source's share is taken off.%n",
        ROWS_PER_COMMIT, SLICES);
    RowData[] rows = OrderRows.of(DISTINCT_ROWS, 1);
    try (LocalTables tables = LocalTables.create();
        MiniCluster cluster = startCluster();
        GatedJob none = GatedJob.discarding(cluster, NONE, rows);
        GatedJob stock =
            GatedJob.committing(cluster, tables, STOCK, rows, IcebergOverheadBenchmark::stock);
        GatedJob ours =
            GatedJob.committing(cluster, tables, OURS, rows, IcebergOverheadBenchmark::ours)) {
      Turns turns = new Turns(rounds);
      for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
        turns.take(round, none, stock, ours);
      }
      long total = (long) ROWS_PER_COMMIT * (WARM_UP_ROUNDS + rounds);
      verifyRows(stock.table(), total);
      verifyRows(ours.table(), total);
      verifyFacts(ours.table());
      return turns.report(out);
    }
  }

  /** What was measured. */
  private static final class Turns {
    private final double[] source;
    private final double[] stock;
    private final double[] ours;
    private final double[] ratio;
    private final double[] stockBytes;
    private final double[] ourBytes;

    Turns(int rounds) {
      this.source = new double[rounds];
      this.stock = new double[rounds];
      this.ours = new double[rounds];
      this.ratio = new double[rounds];
      this.stockBytes = new double[rounds];
      this.ourBytes = new double[rounds];
    }

    /** One round; a negative one only warms up. */
    void take(int round, GatedJob noSink, GatedJob stockSink, GatedJob ourSink) throws Exception {
      List<GatedJob> order = new ArrayList<>(List.of(stockSink, noSink, ourSink));
      for (int slice = 0; slice < SLICES; slice++) {
        for (GatedJob job : order) {
          job.write(ROWS_PER_COMMIT / SLICES);
        }
        Collections.reverse(order);
      }
      if (round % 2 == 0) {
        Collections.reverse(order);
      }
      for (GatedJob job : order) {
        job.commit();
      }
      ThreadWork none = noSink.work();
      ThreadWork stockWork = stockSink.work().since(none);
      ThreadWork ourWork = ourSink.work().since(none);
      if (round >= 0) {
        source[round] = (double) none.cpuNanos() / ROWS_PER_COMMIT;
        stock[round] = (double) stockWork.cpuNanos() / ROWS_PER_COMMIT;
        ours[round] = (double) ourWork.cpuNanos() / ROWS_PER_COMMIT;
        ratio[round] = stock[round] / ours[round];
        stockBytes[round] = (double) stockWork.allocatedBytes() / ROWS_PER_COMMIT;
        ourBytes[round] = (double) ourWork.allocatedBytes() / ROWS_PER_COMMIT;
      }
      stockSink.deleteNewFiles();
      ourSink.deleteNewFiles();
    }

    Figure report(PrintStream out) {
      print(out, "source, ns/row", source);
      print(out, "stock sink, ns/row", stock);
      print(out, "our sink, ns/row", ours);
      print(out, "stock sink, bytes allocated/row", stockBytes);
      print(out, "our sink, bytes allocated/row", ourBytes);
      print(out, "stock over ours, per round", ratio);
      return Figure.of(Spread.of(ratio).median());
    }

    private static void print(PrintStream out, String what, double[] figures) {
      out.printf("  %-34s %s%n", what, Spread.of(figures));
    }
  }

  private static void stock(DataStream<RowData> rows, TableLoader loader) {
    IcebergSink.forRowData(rows).tableLoader(loader).append();
  }

  private static void ours(DataStream<RowData> rows, TableLoader loader) {
    TidemarkIcebergSink.forRowData(rows)
        .tableLoader(loader)
        .eventTime(EventTimeColumn.timestamp(OrderRows.EVENT_TIME))
        .finalization(
            FinalizationConfig.forWriter("orders")
                .lookback(6, Duration.ZERO)
                .readFromBeginning()
                .build())
        .processor(new CheckpointProperty())
        .append();
  }

  /** A hook that adds a property of its own. */
  private static final class CheckpointProperty implements CommitProcessor<Table> {
    private static final long serialVersionUID = 1L;

    @Override
    public void preCommit(CommitContext<Table> context) {
      context.putProperty(PROCESSED, Long.toString(context.checkpointId()));
    }
  }

  private static void verifyRows(Table table, long rows) {
    expect(table, "total-records", Long.toString(rows));
  }

  private static void verifyFacts(Table table) {
    expect(table, "finalization.event-time.count", Integer.toString(ROWS_PER_COMMIT));
    Map<String, String> summary = table.currentSnapshot().summary();
    if (!summary.containsKey(PROCESSED)
        || !summary.containsKey(FinalizationProperties.WATERMARK_MS)) {
      throw new IllegalStateException(
          "Missing property of the processor, or a watermark, in " + summary);
    }
  }

  private static void expect(Table table, String key, String value) {
    Snapshot head = table.currentSnapshot();
    if (!value.equals(head.summary().get(key))) {
      throw new IllegalStateException(
          "Invalid "
              + key
              + " in table "
              + table.name()
              + ": "
              + head.summary()
              + " (expected: "
              + value
              + ")");
    }
  }

  private static MiniCluster startCluster() throws Exception {
    Configuration conf = new Configuration();
    conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64));
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(conf)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(3)
                .withRandomPorts()
                .build());
    cluster.start();
    return cluster;
  }
}
