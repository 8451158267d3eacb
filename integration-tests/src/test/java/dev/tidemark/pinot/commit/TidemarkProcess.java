package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line as a process of its own, with the class path that {@code bin/tidemark} gives it:
 * no Flink, nothing of Pinot. Catalog {@code metrics} is the shared Pinot.
 */
final class TidemarkProcess {
  private static final Path CLI = Path.of("..", "cli", "target");

  private TidemarkProcess() {}

  /** Starts a command, its output and its complaints led into files. */
  static Process start(Path out, Path err, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(
        CLI.resolve("classes")
            + File.pathSeparator
            + Files.readString(CLI.resolve("runtime-classpath.txt")).strip());
    command.add("dev.tidemark.cli.Tidemark");
    command.addAll(List.of(arguments));
    command.add("-cmetrics.type=pinot");
    command.add("-cmetrics.controller=" + SharedPinot.get().controllerUrl());
    ProcessBuilder process =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    // Where they are set, a JVM says on stderr that it picked them up.
    process.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return process.start();
  }

  /** The plan of a second writer, {@code leaves}, which a test then retires. */
  static PinotPlan writerThatLeaves(TestLoad load) {
    return load.plan(
        builder ->
            builder
                .accumulators(TestLoad.EVENT_TIMES)
                .finalization(
                    FinalizationConfig.forWriter("leaves")
                        .lookback(1, Duration.ZERO)
                        .readFromBeginning()
                        .build()));
  }
}
