package dev.tidemark.cli.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;

/** The interpreter {@code python3} of this machine. */
public final class Python {
  private static final String IS_NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 9))";

  private Python() {}

  /** Ends the test as skipped, with the reason, where there is no python3 of 3.9 or newer. */
  public static void assumeThere() throws InterruptedException {
    assumeTrue(isThere(), "No python3 of 3.9 or newer is here");
  }

  private static boolean isThere() throws InterruptedException {
    try {
      return new ProcessBuilder("python3", "-c", IS_NEW_ENOUGH).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
