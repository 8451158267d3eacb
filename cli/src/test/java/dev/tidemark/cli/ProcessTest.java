package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.testing.BrokenFileIO;
import dev.tidemark.cli.testing.ChildJvm;
import dev.tidemark.cli.testing.Lake;
import dev.tidemark.cli.testing.Python;
import dev.tidemark.iceberg.EventWriter;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line as a process, with the class path that {@code bin/tidemark} starts it with. */
class ProcessTest {
  private static final Path CLASS_PATH = Path.of("target", "runtime-classpath.txt");

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void classPathHoldsNoFlinkAndNoPinot() throws Exception {
    assertThat(classPath().split(File.pathSeparator))
        .isNotEmpty()
        .noneMatch(entry -> new File(entry).getName().contains("flink"))
        .noneMatch(entry -> new File(entry).getName().startsWith("pinot-") && isJar(entry))
        .noneMatch(entry -> entry.contains("test-classes") || entry.endsWith("-tests.jar"));
  }

  private static boolean isJar(String entry) {
    return entry.endsWith(".jar") && !entry.contains("pinot-sink");
  }

  @Test
  void readsATableOfAHadoopCatalog() throws Exception {
    assertReads(Lake::hadoop);
  }

  @Test
  void readsATableOfAJdbcCatalog() throws Exception {
    assertReads(Lake::jdbc);
  }

  /** The script itself, in a tree that looks built, so that it does not build. */
  @Test
  void scriptStartsItAndHandsItsStatusOver() throws Exception {
    Lake lake = Lake.hadoop(directory.resolve("lake"));
    EventWriter writer = EventWriter.start(lake.catalog().create("events"), "orders");
    writer.write("10:05");

    assertThat(script(lake.settings(), "check", "lake.db.events", "2026-01-01T09")).isZero();
    assertThat(output()).isEqualTo("READY\n");
    assertThat(script(lake.settings(), "check", "lake.db.events", "2026-01-01T10")).isEqualTo(1);
    assertThat(script(List.of(), "nonsense")).isEqualTo(2);
    assertThat(script(List.of(), "--version")).isZero();
    assertThat(output()).matches("tidemark \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?\n");
  }

  /**
   * A pipe has no colour, which every other test sees; a terminal has, unless it is told not to.
   */
  @Test
  void colourIsForTerminals() throws Exception {
    Python.assumeThere();
    Lake lake = Lake.hadoop(directory.resolve("lake"));
    EventWriter.start(lake.catalog().create("events"), "orders").write("10:05");
    String[] status = {"status", "lake.db.events"};

    assertThat(onTerminal(Map.of("TERM", "xterm"), lake.settings(), status)).isZero();
    assertThat(output()).contains("\u001b[32m").contains("moved");
    assertThat(onTerminal(Map.of("NO_COLOR", "1"), lake.settings(), status)).isZero();
    assertThat(output()).doesNotContain("\u001b").contains("moved");
    assertThat(script(lake.settings(), status)).isZero();
    assertThat(output()).doesNotContain("\u001b").contains("moved");
  }

  /** On a pseudo-terminal, which Python's standard library makes. */
  private int onTerminal(Map<String, String> environment, List<String> settings, String... command)
      throws Exception {
    List<String> all = new ArrayList<>();
    all.addAll(
        List.of(
            "python3",
            "-c",
            "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"));
    all.add(javaHome().resolve("java").toString());
    all.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    all.add(Path.of("target", "classes") + File.pathSeparator + classPath());
    all.add(Tidemark.class.getName());
    all.addAll(List.of(command));
    all.addAll(settings);
    ProcessBuilder process = process(all);
    process.environment().remove("NO_COLOR");
    process.environment().putAll(environment);
    return process.start().waitFor();
  }

  /** 1 would mean "not ready": a shell sensor would wait for ever. */
  @Test
  void classThatIsMissingIsAFaultAndNoAnswer() throws Exception {
    List<String> broken =
        List.of(
            "-clake.type=jdbc",
            "-clake.uri=jdbc:sqlite:" + directory.resolve("catalog.db"),
            "-clake.jdbc.init-catalog-tables=true",
            "-clake.warehouse=" + directory,
            "-clake.io-impl=" + BrokenFileIO.class.getName());

    assertThat(script(broken, "check", "lake.db.events", "2026-01-01T10")).isEqualTo(70);
    assertThat(Files.readString(directory.resolve("err.txt")))
        .startsWith("A fault of tidemark, no answer: java.lang.NoClassDefFoundError: software/");
    assertThat(output()).isEmpty();
  }

  private int script(List<String> settings, String... arguments) throws Exception {
    Path root = directory.resolve("repository");
    Path script = root.resolve("bin").resolve("tidemark");
    if (!Files.exists(script)) {
      for (String module : List.of("iceberg-sink", "pinot-sink", "finalization-core", "bin")) {
        Files.createDirectories(root.resolve(module));
      }
      Files.createDirectories(root.resolve("cli").resolve("target"));
      Files.createFile(root.resolve("pom.xml"));
      Files.copy(Path.of("..", "bin", "tidemark"), script, StandardCopyOption.COPY_ATTRIBUTES);
      Path target = root.resolve("cli").resolve("target");
      Files.createSymbolicLink(
          target.resolve("classes"), Path.of("target/classes").toAbsolutePath());
      Files.writeString(target.resolve("classpath.txt"), classPath());
    }
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(arguments));
    command.addAll(settings);
    ProcessBuilder process = process(command);
    process
        .environment()
        .put("TIDEMARK_CLASSPATH", Path.of("target", "test-classes").toAbsolutePath().toString());
    process.environment().merge("PATH", "", (path, none) -> javaHome() + File.pathSeparator + path);
    return process.start().waitFor();
  }

  private static Path javaHome() {
    return Path.of(System.getProperty("java.home"), "bin");
  }

  private void assertReads(Function<Path, Lake> lakes) throws Exception {
    Lake lake = lakes.apply(directory);
    EventWriter writer = EventWriter.start(lake.catalog().create("events"), "orders");
    writer.write("10:05");
    writer.write("09:05", "10:10");

    assertThat(run(lake, "explain", "lake.db.events")).isZero();
    assertThat(output()).contains("LATE_DATA").contains("2026-01-01T09 got 1 row after");
    assertThat(run(lake, "check", "lake.db.events", "2026-01-01T10")).isEqualTo(1);
    assertThat(run(lake, "check", "lake.db.events", "2026-01-01T09")).isEqualTo(5);
    assertThat(run(lake, "status")).isEqualTo(2);
  }

  private int run(Lake lake, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(javaHome().resolve("java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(Path.of("target", "classes") + File.pathSeparator + classPath());
    command.add(Tidemark.class.getName());
    command.addAll(List.of(arguments));
    command.addAll(lake.settings());
    return process(command).start().waitFor();
  }

  private ProcessBuilder process(List<String> command) {
    return ChildJvm.withoutOptionsOfOthers(new ProcessBuilder(command))
        .redirectOutput(directory.resolve("out.txt").toFile())
        .redirectError(directory.resolve("err.txt").toFile());
  }

  private String output() throws Exception {
    return Files.readString(directory.resolve("out.txt"));
  }

  private static String classPath() throws Exception {
    return Files.readString(CLASS_PATH).strip();
  }
}
