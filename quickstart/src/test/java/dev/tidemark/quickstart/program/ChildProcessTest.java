package dev.tidemark.quickstart.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
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

  /** A process that is nobody's child any more keeps the output open. */
  @Test
  void limitIsToldAlsoWhereTheOutputStaysOpen() throws Exception {
    String script = "(sleep 600 & echo pid $!); exec sleep 600";
    try (ChildProcess hanging =
        ChildProcess.start(
            "a script",
            List.of("sh", "-c", script),
            directory.resolve("complaints"),
            printed::add,
            Duration.ofMillis(50))) {
      long pid = Long.parseLong(take().substring("pid ".length()));
      try {
        assertThatThrownBy(() -> hanging.awaitSuccess(Duration.ofMillis(50)))
            .hasMessageStartingWith(
                "Cannot wait any longer for a script: it still ran after PT0.05S")
            .cause()
            .hasMessageStartingWith("its output is still open PT0.05S after its end");
      } finally {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  @Test
  void whoeverGetsTheLinesAndThrowsIsTheCauseAndStopsNobody() throws Exception {
    // More than fits into a pipe: with nobody to read it would never end.
    String script = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; exit ";
    IllegalArgumentException refusal = new IllegalArgumentException("no more lines");
    for (int status : new int[] {0, 3}) {
      try (ChildProcess talking =
          ChildProcess.start(
              "a script",
              List.of("sh", "-c", script + status),
              directory.resolve("complaints"),
              line -> {
                throw refusal;
              })) {
        assertThatThrownBy(() -> talking.awaitSuccess(PATIENCE))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith(
                status == 0
                    ? "Cannot pass on all that a script printed: no more lines. It ended well. It printed last: line 19999\n"
                    : "Failed: a script ended with exit status 3 (expected: 0). It printed last: line 19999\n")
            .hasCause(refusal);
      }
    }
  }

  @Test
  void oneCanBeClosedWhileTheJvmGoesDown() throws Exception {
    try (ChildProcess ending = start("close")) {
      ending.awaitSuccess(PATIENCE);
    }
    assertThat(printed).last().isEqualTo("closed");
  }

  private ChildProcess start(String end) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String classes = location(LastWords.class) + File.pathSeparator + location(ChildProcess.class);
    return ChildProcess.start(
        "a program",
        List.of(
            java.toString(),
            "-cp",
            classes,
            LastWords.class.getName(),
            end,
            directory.resolve("complaints of its own").toString()),
        directory.resolve("complaints"),
        printed::add);
  }

  private static Path location(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private String take() throws InterruptedException {
    return String.valueOf(printed.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
  }
}
