package dev.tidemark.quickstart.mainjob;

import dev.tidemark.quickstart.program.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.iceberg.Table;

/**
 * Spark's merges of the ledger into the base table, one after the other. Each is a process of its
 * own, as a scheduler starts it: how far the last one came is in the base table. One thread at a
 * time.
 */
final class BaseMerges {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final MergeProcess spark;
  private final Path work;
  private final Table ledger;
  private final Table base;
  private final Consumer<String> output;
  private final List<BaseMerge> done = new ArrayList<>();

  /**
   * @param spark how Spark is started
   * @param work a directory for its files
   * @param ledger a handle for the merges alone
   * @param base likewise
   * @param output gets what each merge did
   */
  BaseMerges(MergeProcess spark, Path work, Table ledger, Table base, Consumer<String> output) {
    this.spark = spark;
    this.work = work;
    this.ledger = ledger;
    this.base = base;
    this.output = output;
  }

  /** Waits until there is something to merge. */
  void awaitLedger() throws Exception {
    Waiting.until(
        "a row of the ledger",
        PATIENCE,
        () -> {
          ledger.refresh();
          return LedgerWatch.rows(ledger) > 0;
        },
        () -> "no row");
  }

  /** Merges what is there now. */
  BaseMerge next() throws Exception {
    int number = done.size() + 1;
    output.accept("MERGE %d: Spark starts, as a process of its own".formatted(number));
    BaseState before = BaseState.now(base, ledger);
    List<String> said = new ArrayList<>();
    spark.run(BaseTable.TABLE.toString(), LedgerJob.TABLE.toString(), work, said::add);
    said.forEach(line -> output.accept("  Spark: " + line.strip()));
    BaseState after = BaseState.now(base, ledger);
    BaseMerge merge = new BaseMerge(before, after, LedgerPoint.head(ledger), said);
    done.add(merge);
    output.accept(merge.line(number));
    return merge;
  }

  /** The merges so far, in order. */
  List<BaseMerge> done() {
    return List.copyOf(done);
  }
}
