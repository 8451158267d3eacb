package dev.tidemark.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the CPU time of the calling thread over many short rounds, so that other processes on
 * the machine disturb a few rounds and not the median. All cases take turns within a round: a slow
 * minute hits each of them, and the compiler sees all of them. Compilation and garbage collection
 * run in other threads and are not in the figures.
 */
final class CpuRounds {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final int warmUpRounds;
  private final int rounds;

  CpuRounds(int warmUpRounds, int rounds) {
    this.warmUpRounds = warmUpRounds;
    this.rounds = rounds;
  }

  /** Takes the number of rounds from the first argument, if there is one. */
  static CpuRounds of(int warmUpRounds, int defaultRounds, List<String> arguments) {
    return new CpuRounds(warmUpRounds, Rounds.of(arguments, defaultRounds));
  }

  /** Work that is measured as a whole, and a check of its result that is not measured. */
  interface Case {
    /** Runs once. */
    void run();

    /**
     * Looks at what the last {@link #run} made.
     *
     * @throws IllegalStateException if it is not correct
     */
    void verify();
  }

  /**
   * CPU time per run, by the name of the case.
   *
   * @param nanosPerUnit what the nanoseconds of one run are divided by
   */
  Map<String, Spread> measure(Map<String, ? extends Case> cases, double nanosPerUnit) {
    Map<String, double[]> figures = new LinkedHashMap<>();
    for (int round = -warmUpRounds; round < rounds; round++) {
      for (Map.Entry<String, ? extends Case> entry : cases.entrySet()) {
        double figure = nanos(entry.getValue()) / nanosPerUnit;
        if (round >= 0) {
          figures.computeIfAbsent(entry.getKey(), name -> new double[rounds])[round] = figure;
        }
      }
    }
    Map<String, Spread> spreads = new LinkedHashMap<>();
    figures.forEach((name, values) -> spreads.put(name, Spread.of(values)));
    return spreads;
  }

  private static long nanos(Case work) {
    long start = THREADS.getCurrentThreadCpuTime();
    work.run();
    long nanos = THREADS.getCurrentThreadCpuTime() - start;
    work.verify();
    return nanos;
  }
}
