package dev.tidemark.benchmarks;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.table.data.RowData;

/**
 * Lets a {@link GatedSource} of this JVM emit a number of rows at a time, and tells when it has.
 * One reader and one thread that opens the gate.
 */
final class RowGate {
  private static final Map<String, RowGate> GATES = new ConcurrentHashMap<>();

  private final RowData[] rows;
  private volatile long released;
  private CompletableFuture<Void> opened = new CompletableFuture<>();
  private CompletableFuture<Void> passed = CompletableFuture.completedFuture(null);

  private RowGate(RowData[] rows) {
    this.rows = rows;
  }

  /**
   * A closed gate under a name.
   *
   * @param rows emitted again and again
   */
  static RowGate create(String name, RowData[] rows) {
    RowGate gate = new RowGate(rows);
    GATES.put(name, gate);
    return gate;
  }

  /** The gate of a name. */
  static RowGate find(String name) {
    RowGate gate = GATES.get(name);
    if (gate == null) {
      throw new IllegalStateException("Missing gate \"" + name + "\"");
    }
    return gate;
  }

  /** Lets rows pass; done when the last of them has been taken by the operators behind. */
  synchronized CompletableFuture<Void> release(long count) {
    passed = new CompletableFuture<>();
    released += count;
    opened.complete(null);
    opened = new CompletableFuture<>();
    return passed;
  }

  /** How many rows may have passed since the beginning. */
  long released() {
    return released;
  }

  /** The row of a position in the stream. */
  RowData row(long position) {
    return rows[(int) (position % rows.length)];
  }

  /** Says that all released rows have passed. */
  synchronized void allPassed() {
    passed.complete(null);
  }

  /** Done when there are rows to emit behind this position. */
  synchronized CompletableFuture<Void> opened(long position) {
    return position < released ? CompletableFuture.completedFuture(null) : opened;
  }
}
