package dev.tidemark.quickstart.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that end well, fail, or hang. */
class ChildProcessTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final BlockingQueue<String> printed = new LinkedBlockingQueue<>();

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void oneThatHangsIsKilledAndItsLastWordsAreSaid() throws Exception {
    try (ChildProcess hanging = start("hang")) {
      String pid = take().substring("pid ".length());
      assertThat(take()).isEqualTo("begun");
      Duration limit = Duration.ofMillis(10);
      assertThatThrownBy(() -> hanging.awaitSuccess(limit))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "Cannot wait any longer for a program: it still ran after PT0.01S (expected: to end by itself) and was killed. It printed last: begun\nIt complained at last:\n")
          .hasMessageEndingWith("complaint 100\njava.lang.IllegalStateException: no room left")
          .extracting(e -> String.valueOf(e.getMessage()).lines().count())
          .isEqualTo(22L);
      assertThat(ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive)).isEmpty();
    }
  }

  @Test
  void oneThatFailsIsToldWithItsLastWords() throws Exception {
    try (ChildProcess failing = start("3")) {
      assertThatThrownBy(() -> failing.awaitSuccess(PATIENCE))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "Failed: a program ended with exit status 3 (expected: 0). It printed last: begun\nIt complained at last:\ncomplaint 82\n")
          .hasMessageEndingWith("complaint 100\njava.lang.IllegalStateException: no room left");
    }
  }

  @Test
  void allThatOnePrintsIsPassedOnBeforeItCountsAsEnded() throws Exception {
    try (ChildProcess ending = start("0")) {
      ending.awaitSuccess(PATIENCE);
    }
    assertThat(printed).hasSize(2).last().isEqualTo("begun");
  }

  private ChildProcess start(String end) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path classes =
        Path.of(LastWords.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return ChildProcess.start(
        "a program",
        List.of(java.toString(), "-cp", classes.toString(), LastWords.class.getName(), end),
        directory.resolve("complaints"),
        printed::add);
  }

  private String take() throws InterruptedException {
    return String.valueOf(printed.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
  }
}
