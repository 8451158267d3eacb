package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.testing.Lake;
import dev.tidemark.iceberg.EventWriter;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(Path.of("target", "classes") + File.pathSeparator + classPath());
    command.add(Tidemark.class.getName());
    command.addAll(List.of(arguments));
    command.addAll(lake.settings());
    return new ProcessBuilder(command)
        .redirectOutput(directory.resolve("out.txt").toFile())
        .redirectError(directory.resolve("err.txt").toFile())
        .start()
        .waitFor();
  }

  private String output() throws Exception {
    return Files.readString(directory.resolve("out.txt"));
  }

  private static String classPath() throws Exception {
    return Files.readString(CLASS_PATH).strip();
  }
}
