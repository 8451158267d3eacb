package dev.tidemark.quickstart.mainjob;

import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The commands of {@code spark-upsert}, in a process of its own that stays for all of them. It
 * lives in New York, to show that no zone of a JVM matters.
 */
final class SparkShell implements AutoCloseable {
  private static final String PROGRAM = "dev.tidemark.spark.SparkUpsertShell";
  private static final String EXIT = "exit ";

  private final Process process;
  private final BufferedWriter commands;
  private final BufferedReader lines;
  private final File complaints;
  private final StringBuilder printed = new StringBuilder();

  private SparkShell(Process process, File complaints) {
    this.process = process;
    this.complaints = complaints;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.lines = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts Spark and does not wait for it.
   *
   * @param environment of the process, beside this one's
   */
  static SparkShell start(
      EmbeddedIcebergCatalog catalog, Path work, Map<String, String> environment) throws Exception {
    MergeProcess spark = MergeProcess.beside(catalog.name(), catalog.properties());
    Path driver =
        MergeProcess.file(org.mariadb.jdbc.Driver.class.getProtectionDomain().getCodeSource());
    List<Path> more = List.of(spark.directory().resolve("target/test-classes"), driver);
    File complaints = Files.createTempFile(work, "spark", ".log").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(spark.command(work, more, PROGRAM, List.of())).redirectError(complaints);
    builder.environment().putAll(environment);
    builder.environment().put("JAVA_TOOL_OPTIONS", "-Duser.timezone=America/New_York");
    return new SparkShell(builder.start(), complaints);
  }

  /** What a command ended with. */
  record Result(int exit, String output) {}

  /** Runs a command to its end. */
  Result run(String... words) throws IOException {
    commands.write(String.join("\t", words) + "\n");
    commands.flush();
    List<String> output = new ArrayList<>();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      printed.append(line).append('\n');
      if (line.startsWith(EXIT)) {
        int exit = Integer.parseInt(line.substring(EXIT.length()));
        return new Result(exit, String.join("\n", output));
      }
      output.add(line);
    }
    throw new IllegalStateException(
        "Spark ended during %s:\n%s".formatted(List.of(words), complaints()));
  }

  /** All that was printed so far, by Spark too. */
  String everything() throws IOException {
    return printed + complaints();
  }

  private String complaints() throws IOException {
    return Files.readString(complaints.toPath());
  }

  @Override
  public void close() throws Exception {
    process.destroyForcibly();
    process.waitFor();
  }
}
