package dev.tidemark.spark.benchmark;

import com.sun.management.OperatingSystemMXBean;
import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.ledger.LedgerSchema;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.ColumnType;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeOutcome;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.table.TableName;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestSession;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Merges a large increment and a small one, by bucket and with a shuffle, copy-on-write and
 * merge-on-read. Arguments: a directory, events, rows, events of the small increment. Prints a line
 * per merge, and last {@code ratio=…}: CPU with a shuffle over CPU without, of the large increment,
 * copy-on-write, medians of the rounds. Exits with 1 if the results of the cases differ.
 */
public final class SparkMergeProgram {
  private static final int BUCKETS = 4;
  private static final int ROUNDS = 3;
  private static final AtomicLong SHUFFLED = new AtomicLong();

  private final SparkSession spark = TestSession.get();
  private final TestLake lake;
  private final TableName ledger;
  private final Map<String, TableName> bases = new LinkedHashMap<>();
  private int appended = 1;

  private SparkMergeProgram(Path directory) {
    this.lake = TestLake.hadoop(directory);
    this.ledger = lake.table("ledger");
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Files.createDirectories(Path.of(arguments[0]));
    long events = Long.parseLong(arguments[1]);
    long rows = Long.parseLong(arguments[2]);
    long small = Long.parseLong(arguments[3]);
    int status = new SparkMergeProgram(directory).run(events, rows, small);
    System.out.flush();
    Runtime.getRuntime().halt(status);
  }

  private int run(long events, long rows, long small) {
    spark.sparkContext().addSparkListener(new ShuffleCounter());
    createTables();
    append("I", rows, rows, 1);
    bases.keySet().forEach(name -> measure("warm-up", name));
    Map<String, double[]> large = rounds("large", events, rows);
    rounds("small", small, rows);
    boolean equal = bases.values().stream().map(this::digest).distinct().count() == 1;
    System.out.printf(
        Locale.ROOT,
        "results are %s: %s%n",
        equal ? "equal" : "DIFFERENT",
        digest(bases.values().iterator().next()));
    System.out.printf(
        Locale.ROOT, "ratio=%.3f%n", median(large, "copy_shuffle") / median(large, "copy_bucket"));
    return equal ? 0 : 1;
  }

  /** CPU seconds of each case: the first round warms up, and the cases change places. */
  private Map<String, double[]> rounds(String name, long events, long rows) {
    Map<String, double[]> seconds = new LinkedHashMap<>();
    List<String> order = new ArrayList<>(bases.keySet());
    for (int round = 0; round <= ROUNDS; round++) {
      append("U", events, rows, ++appended);
      for (String base : order) {
        double one = measure(round == 0 ? "warm-up" : name, base);
        if (round > 0) {
          seconds.computeIfAbsent(base, key -> new double[ROUNDS])[round - 1] = one;
        }
      }
      Collections.reverse(order);
    }
    seconds
        .keySet()
        .forEach(
            base ->
                System.out.printf(
                    Locale.ROOT, "%s %s: median %.1f CPU s%n", name, base, median(seconds, base)));
    return seconds;
  }

  private static double median(Map<String, double[]> seconds, String base) {
    double[] sorted = seconds.getOrDefault(base, new double[] {Double.NaN}).clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private void createTables() {
    LedgerSchema schema =
        LedgerSchema.of(
            new TableId("shop", "orders"),
            List.of(Column.required("id", ColumnType.of(ColumnType.Kind.INT64))));
    lake.catalog().createTable(ledger.identifier(), schema.schema(), schema.partitionSpec(BUCKETS));
    create("copy_bucket", BUCKETS, "copy-on-write");
    create("copy_shuffle", BUCKETS + 1, "copy-on-write");
    create("read_bucket", BUCKETS, "merge-on-read");
    create("read_shuffle", BUCKETS + 1, "merge-on-read");
  }

  private void create(String name, int buckets, String mode) {
    TableName base = lake.table(name);
    spark.sql(
        """
        CREATE TABLE %s (id BIGINT, state STRING, amount DECIMAL(10, 2), note STRING,
        cdc_ord STRING, cdc_source_time TIMESTAMP, cdc_deleted BOOLEAN)
        USING iceberg PARTITIONED BY (bucket(%d, id))
        TBLPROPERTIES ('format-version'='2', 'write.merge.mode'='%s')"""
            .formatted(base.sql(), buckets, mode));
    bases.put(name, base);
  }

  /** Events over three hours; of the updates one in twenty is a delete. */
  private void append(String op, long events, long rows, int round) {
    spark.sql(
        """
        INSERT INTO %s
        SELECT timestamp_seconds(1767225600 + e %% 10800), timestamp_seconds(1767225600 + e %% 10800),
        o, id, id, CAST(NULL AS STRING),
        IF(o = 'D', NULL, to_json(named_struct('id', id, 'state', concat('state-', e %% 97),
        'amount', CAST(CAST(e %% 100000 AS DECIMAL(10, 2)) AS STRING), 'note', repeat('x', 40)))),
        lower(concat(lpad(hex(%d * 1000000000L + e), 16, '0'), '00000001', '00000000', lpad(hex(e), 16, '0'))),
        false, false, 'shop', 0, e, false
        FROM (SELECT id AS e, IF('%s' = 'U' AND id %% 20 = 7, 'D', '%s') AS o,
        IF('%s' = 'I', id, pmod(xxhash64(id, %d), %d)) AS id FROM range(0, %d, 1, 4))"""
            .formatted(ledger.sql(), round, op, op, op, round, rows + rows / 20, events));
  }

  private double measure(String increment, String name) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    System.gc();
    long shuffled = SHUFFLED.get();
    long cpu = system.getProcessCpuTime();
    MergeOutcome outcome =
        LedgerMerge.of(spark, MergeRequest.of(lake.table(name), ledger)).run().get(0);
    double seconds = (system.getProcessCpuTime() - cpu) / 1e9;
    MergeOutcome.Merged merged = (MergeOutcome.Merged) outcome;
    System.out.printf(
        Locale.ROOT,
        "%-8s %-13s %,10d events  %6.1f CPU s  %d exchanges  %6.1f MB shuffled%n",
        increment,
        name,
        merged.ledgerRows(),
        seconds,
        merged.exchanges(),
        (SHUFFLED.get() - shuffled) / 1e6);
    return seconds;
  }

  private String digest(TableName base) {
    Row row =
        spark
            .sql(
                "SELECT count(*), sum(CAST(xxhash64(id, state, amount, note, cdc_ord, cdc_deleted) AS DECIMAL(20, 0))) FROM "
                    + base.sql())
            .first();
    return row.get(0) + " rows, digest " + row.get(1);
  }

  private static final class ShuffleCounter extends SparkListener {
    @Override
    public void onStageCompleted(SparkListenerStageCompleted completed) {
      SHUFFLED.addAndGet(completed.stageInfo().taskMetrics().shuffleWriteMetrics().bytesWritten());
    }
  }
}
