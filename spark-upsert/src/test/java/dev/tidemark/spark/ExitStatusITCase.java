package dev.tidemark.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.spark.scheduler.SparkListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line as a scheduler starts it, where what it needs is broken for good. */
class ExitStatusITCase {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void errorOfACommandEndsTheProcessWithItsMessageAlthoughThreadsAreLeft() throws Exception {
    CommandLine ended =
        start(
            Map.of(
                "spark.sql.catalog.broken",
                "org.apache.iceberg.spark.SparkCatalog",
                "spark.sql.catalog.broken.catalog-impl",
                BrokenCatalog.class.getName()));
    assertThat(ended.output())
        .contains("Failed: NoClassDefFoundError: the driver's other half")
        .contains("\tat " + BrokenCatalog.class.getName());
    assertThat(ended.status()).isEqualTo(1);
  }

  @Test
  void errorBeforeThereIsASessionDoesSoToo() throws Exception {
    CommandLine ended = start(Map.of("spark.extraListeners", BrokenListener.class.getName()));
    assertThat(ended.output())
        .contains("Failed: ")
        .contains("NoClassDefFoundError: the driver's other half");
    assertThat(ended.status()).isEqualTo(1);
  }

  private CommandLine start(Map<String, String> settings) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx512m"));
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.addAll(List.of("-Dspark.master=local[1]", "-Dspark.ui.enabled=false"));
    command.addAll(
        List.of("-Dspark.driver.host=127.0.0.1", "-Dspark.driver.bindAddress=127.0.0.1"));
    settings.forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(SparkUpsert.class.getName(), "compact", "--ledger", "broken.db.ledger"));
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(3, TimeUnit.MINUTES);
      String printed = Files.readString(output);
      assertThat(ended).as("the process ends by itself; it printed: %s", printed).isTrue();
      return new CommandLine(process.exitValue(), printed);
    } finally {
      process.destroyForcibly();
    }
  }

  private static void fail() {
    new Thread(ExitStatusITCase::waitForEver, "left behind").start();
    throw new NoClassDefFoundError("the driver's other half");
  }

  private static void waitForEver() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A catalog that cannot be opened. */
  public static final class BrokenCatalog extends HadoopCatalog {
    @Override
    public void initialize(String name, Map<String, String> properties) {
      fail();
    }
  }

  /** Without it no session is begun. */
  public static final class BrokenListener extends SparkListener {
    public BrokenListener() {
      fail();
    }
  }
}
