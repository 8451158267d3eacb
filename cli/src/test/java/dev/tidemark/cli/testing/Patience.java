package dev.tidemark.cli.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long tests wait for what comes in moments on a machine that does nothing else. */
public final class Patience {
  private Patience() {}

  /** A wait that a busy machine does not end: what is waited for may be the first of its JVM. */
  public static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofSeconds(60));
  }
}
