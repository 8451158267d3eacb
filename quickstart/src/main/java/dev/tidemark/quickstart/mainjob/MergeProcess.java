package dev.tidemark.quickstart.mainjob;

import dev.tidemark.quickstart.program.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The merge of the ledger into the base table: Spark as a process of its own, since its class path
 * and Debezium's do not mix. It opens the same catalog, wrapped by the one that carries finality.
 *
 * @param directory of the module {@code spark-upsert}, built
 * @param catalog the name of the Iceberg catalog
 * @param properties what opens it
 */
record MergeProcess(Path directory, String catalog, Map<String, String> properties) {
  private static final String PROGRAM = "dev.tidemark.spark.SparkUpsert";
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** The module beside this one; works from the root of the repository and from any module. */
  static MergeProcess beside(String catalog, Map<String, String> properties) {
    Path here = Path.of("").toAbsolutePath();
    Path inside = here.resolve("spark-upsert");
    Path module = Files.isDirectory(inside) ? inside : here.resolveSibling("spark-upsert");
    if (!Files.exists(classPathFile(module))) {
      throw new IllegalStateException(
          "Cannot start Spark: "
              + classPathFile(module)
              + " is missing (expected: mvn -pl quickstart -am package has built spark-upsert)");
    }
    return new MergeProcess(module, catalog, properties);
  }

  /**
   * Merges once.
   *
   * @param output gets each line that Spark's program prints
   * @throws IllegalStateException if it fails or does not end; the message has its last words
   */
  void run(String base, String ledger, Path work, Consumer<String> output)
      throws IOException, InterruptedException {
    List<String> command =
        command(
            work,
            List.of(),
            PROGRAM,
            List.of("merge", "--base", name(base), "--ledgers", name(ledger)));
    Path complaints = Files.createTempFile(work, "spark", ".log");
    try (ChildProcess spark = ChildProcess.start("Spark's merge", command, complaints, output)) {
      spark.awaitSuccess(LIMIT);
    }
  }

  private String name(String table) {
    return catalog + "." + table;
  }

  /**
   * The command that starts a program of that module.
   *
   * @param work a directory for Spark's own files
   * @param more for the class path
   */
  List<String> command(Path work, List<Path> more, String program, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g"));
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add("-Djava.io.tmpdir=" + work);
    set(command, "spark.master", "local[2]");
    set(command, "spark.ui.enabled", "false");
    set(command, "spark.driver.host", "127.0.0.1");
    set(command, "spark.driver.bindAddress", "127.0.0.1");
    set(command, "spark.sql.shuffle.partitions", "2");
    set(command, "spark.sql.warehouse.dir", work.resolve("spark-warehouse").toString());
    String prefix = "spark.sql.catalog." + catalog;
    set(command, prefix, "org.apache.iceberg.spark.SparkCatalog");
    set(command, prefix + ".catalog-impl", "dev.tidemark.iceberg.catalog.FinalityCatalog");
    set(command, prefix + ".finality.type", "jdbc");
    properties.forEach((key, value) -> set(command, prefix + "." + key, value));
    List<String> classPath = new ArrayList<>(List.of(classPath()));
    more.forEach(path -> classPath.add(path.toString()));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), program));
    command.addAll(arguments);
    return command;
  }

  private static void set(List<String> command, String key, String value) {
    command.add("-D" + key + "=" + value);
  }

  /** The module's classes, what it depends on, and the driver of this catalog's database. */
  private String classPath() throws IOException {
    return String.join(
        File.pathSeparator,
        directory.resolve("target/classes").toString(),
        Files.readString(classPathFile(directory)).strip(),
        file(org.sqlite.JDBC.class.getProtectionDomain().getCodeSource()).toString());
  }

  /** The file or directory that classes are of; a blank in its path is written as %20 in a URL. */
  static Path file(CodeSource classes) {
    try {
      return Path.of(classes.getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("Cannot find the file of " + classes, e);
    }
  }

  private static Path classPathFile(Path module) {
    return module.resolve("target/classpath.txt");
  }
}
