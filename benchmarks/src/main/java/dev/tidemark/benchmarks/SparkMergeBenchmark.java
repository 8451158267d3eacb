package dev.tidemark.benchmarks;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The merge of a ledger into its base table by bucket and with a shuffle, taking turns on the same
 * increments. In a JVM with Spark's class path, which {@code benchmarks/run} has built.
 *
 * <p>Arguments: events, rows, events of the small increment; 5000000 1000000 100000 by default.
 */
final class SparkMergeBenchmark implements Benchmark {
  private static final String PROGRAM = "dev.tidemark.spark.benchmark.SparkMergeProgram";
  private static final List<String> SIZES = List.of("5000000", "1000000", "100000");
  private static final String RATIO = "ratio=";

  @Override
  public String summary() {
    return "CPU of a merge with a shuffle over that of one by bucket, 5 million events into 1 million rows";
  }

  @Override
  public Target target() {
    return Target.atLeast(1.1, "of the CPU by bucket");
  }

  @Override
  public Figure measure(List<String> arguments, PrintStream out) throws Exception {
    Path directory = Files.createTempDirectory("spark-merge");
    try {
      return Figure.of(run(arguments.isEmpty() ? SIZES : arguments, directory, out));
    } finally {
      delete(directory);
    }
  }

  private static double run(List<String> sizes, Path directory, PrintStream out)
      throws IOException, InterruptedException {
    Path complaints = directory.resolve("stderr.log");
    Process process =
        new ProcessBuilder(command(sizes, directory)).redirectError(complaints.toFile()).start();
    double ratio = Double.NaN;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.println(line);
        ratio = line.startsWith(RATIO) ? Double.parseDouble(line.substring(6)) : ratio;
      }
    } finally {
      process.destroy();
    }
    if (process.waitFor() != 0 || Double.isNaN(ratio)) {
      throw new IllegalStateException(
          "The merges failed, or their results differ:\n" + Files.readString(complaints));
    }
    return ratio;
  }

  private static List<String> command(List<String> sizes, Path directory) throws IOException {
    Path module = module();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xms2g", "-Xmx5g"));
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            module.resolve("target/classes").toString(),
            module.resolve("target/test-classes").toString(),
            Files.readString(module.resolve("target/classpath.txt")).strip()));
    command.add(PROGRAM);
    command.add(directory.toString());
    command.addAll(sizes);
    return command;
  }

  /** The module {@code spark-upsert}, from the root of the repository or from beside it. */
  private static Path module() {
    Path here = Path.of("").toAbsolutePath();
    Path inside = here.resolve("spark-upsert");
    return Files.isDirectory(inside) ? inside : here.resolveSibling("spark-upsert");
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(SparkMergeBenchmark::deleteOne);
    }
  }

  private static void deleteOne(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
