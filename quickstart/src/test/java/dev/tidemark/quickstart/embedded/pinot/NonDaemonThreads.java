package dev.tidemark.quickstart.embedded.pinot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The threads that keep a JVM alive. */
final class NonDaemonThreads {
  private NonDaemonThreads() {}

  static Set<Thread> now() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.isDaemon())
        .collect(Collectors.toSet());
  }

  /** Waits until all others than those of {@code before} have ended. */
  static void awaitOnly(Set<Thread> before, Duration patience) {
    await()
        .pollInSameThread()
        .atMost(patience)
        .untilAsserted(() -> assertThat(leftSince(before)).isEmpty());
  }

  // With what they do, so that a failure shows whose they are.
  private static Map<Thread, List<StackTraceElement>> leftSince(Set<Thread> before) {
    return now().stream()
        .filter(thread -> !before.contains(thread))
        .collect(Collectors.toMap(thread -> thread, thread -> List.of(thread.getStackTrace())));
  }
}
