package dev.tidemark.benchmarks;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * What finalization adds to one commit on a table with a long history: the wall time of a
 * finalizing commit less that of a plain Iceberg append of the same file to the same table, which
 * is set back in between.
 */
final class CommitHistoryBenchmark implements Benchmark {
  private static final int SHORTEST = 10;
  private static final int LONGEST = 10_000;
  private static final int[] SIZES = {SHORTEST, 100, 1_000, LONGEST};
  private static final int WARM_UP_ROUNDS = 10;
  private static final int ROUNDS = 60;
  private static final double ALLOWED_GROWTH = 2;
  private static final double ALLOWED_EXTRA_MILLIS = 2;

  @Override
  public String summary() {
    return "Wall time that finalization adds to a commit on a table with 10,000 snapshots";
  }

  @Override
  public Target target() {
    return Target.atMost(10, "ms/commit");
  }

  @Override
  public Figure measure(List<String> arguments, PrintStream out) throws Exception {
    int rounds = Rounds.of(arguments, ROUNDS);
    out.printf(
        "Milliseconds of wall time per commit, on a JdbcCatalog and a local disk; added: our commit"
            + " less the plain append of the same round; the table is set back after each.%n");
    try (LocalTables tables = LocalTables.create()) {
      Map<String, Pairs> cases = new LinkedHashMap<>();
      for (int size : SIZES) {
        HistoryTable table = HistoryTable.create(tables, "history_" + size, size, true);
        cases.put(name(size), new Pairs(table, rounds));
      }
      HistoryTable plain = HistoryTable.create(tables, "history_plain", LONGEST, false);
      cases.put(name(LONGEST) + " without facts", new Pairs(plain, rounds));
      for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
        for (Pairs pairs : cases.values()) {
          pairs.take(round);
        }
      }
      cases.forEach((name, pairs) -> pairs.print(out, name));
      return figure(cases);
    }
  }

  private static Figure figure(Map<String, Pairs> cases) {
    double shortest = Objects.requireNonNull(cases.get(name(SHORTEST))).added().median();
    double longest = Objects.requireNonNull(cases.get(name(LONGEST))).added().median();
    double allowed = ALLOWED_GROWTH * shortest + ALLOWED_EXTRA_MILLIS;
    List<String> misses = new ArrayList<>();
    if (longest > allowed) {
      misses.add(
          "it grows with the history: %s ms at %d snapshots, %s ms at %d (target <= %s ms)"
              .formatted(
                  Target.text(shortest),
                  SHORTEST,
                  Target.text(longest),
                  LONGEST,
                  Target.text(allowed)));
    }
    return new Figure(longest, misses);
  }

  private static String name(int size) {
    return String.format(Locale.ROOT, "%,d snapshots", size);
  }

  /** Commits of both kinds to one table. */
  private static final class Pairs {
    private final HistoryTable table;
    private final double[] plain;
    private final double[] ours;
    private final double[] added;
    private final double[] addedCpu;

    Pairs(HistoryTable table, int rounds) {
      this.table = table;
      this.plain = new double[rounds];
      this.ours = new double[rounds];
      this.added = new double[rounds];
      this.addedCpu = new double[rounds];
    }

    /** One commit of each kind; a negative round only warms up. */
    void take(int round) throws Exception {
      boolean plainFirst = round % 2 == 0;
      Times first = timed(!plainFirst);
      Times second = timed(plainFirst);
      if (round >= 0) {
        Times append = plainFirst ? first : second;
        Times commit = plainFirst ? second : first;
        plain[round] = append.wallMillis();
        ours[round] = commit.wallMillis();
        added[round] = commit.wallMillis() - append.wallMillis();
        addedCpu[round] = commit.cpuMillis() - append.cpuMillis();
      }
    }

    Spread added() {
      return Spread.of(added);
    }

    void print(PrintStream out, String name) {
      out.printf("  %s, metadata of %,d bytes%n", name, table.metadataBytes());
      out.printf("    %-30s %s%n", "plain append", Spread.of(plain));
      out.printf("    %-30s %s%n", "our commit", Spread.of(ours));
      out.printf("    %-30s %s%n", "added", added());
      out.printf("    %-30s %s%n", "added CPU of this thread", Spread.of(addedCpu));
    }

    /** Begins on a heap that was just collected: else a pause hits one commit in three. */
    private Times timed(boolean finalizing) throws Exception {
      System.gc();
      Times start = Times.now();
      if (finalizing) {
        table.commit();
      } else {
        table.append();
      }
      Times taken = Times.now().since(start);
      table.verify(finalizing);
      table.setBack();
      return taken;
    }
  }

  private record Times(double wallMillis, double cpuMillis) {
    static Times now() {
      return new Times(
          System.nanoTime() / 1e6,
          ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e6);
    }

    Times since(Times start) {
      return new Times(wallMillis - start.wallMillis, cpuMillis - start.cpuMillis);
    }
  }
}
