package dev.tidemark.benchmarks;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All benchmarks by name, and the program that runs one: see {@code benchmarks/run}. */
public final class Benchmarks {
  private static final int MET = 0;
  private static final int MISSED = 1;
  private static final int UNKNOWN = 2;

  private Benchmarks() {}

  /** Name to benchmark, in the order of {@code benchmarks/README.md}. */
  static Map<String, Benchmark> all() {
    Map<String, Benchmark> all = new LinkedHashMap<>();
    all.put("accumulator", new AccumulatorBenchmark());
    all.put("facts-bytes", new FactsBytesBenchmark());
    all.put("merge", new MergeBenchmark());
    all.put("iceberg-overhead", new IcebergOverheadBenchmark());
    all.put("commit-history", new CommitHistoryBenchmark());
    all.put("pinot-build", new PinotBuildBenchmark());
    all.put("spark-merge", new SparkMergeBenchmark());
    return all;
  }

  /** Runs the benchmark that the first argument names, with the other arguments. */
  public static void main(String[] arguments) throws Exception {
    System.exit(run(List.of(arguments), System.out));
  }

  static int run(List<String> arguments, PrintStream out) throws Exception {
    Benchmark benchmark = arguments.isEmpty() ? null : all().get(arguments.get(0));
    if (benchmark == null) {
      list(out);
      return UNKNOWN;
    }
    Figure figure = benchmark.measure(arguments.subList(1, arguments.size()), out);
    figure.misses().forEach(miss -> out.println("Missed: " + miss));
    out.println(benchmark.target().verdict(arguments.get(0), figure.value()));
    return figure.meets(benchmark.target()) ? MET : MISSED;
  }

  private static void list(PrintStream out) {
    out.println("Usage: benchmarks/run NAME [args], where NAME is one of");
    all()
        .forEach(
            (name, benchmark) ->
                out.printf(
                    "  %-18s %s (%s %s)%n",
                    name, benchmark.summary(), benchmark.target(), benchmark.target().unit()));
  }
}
