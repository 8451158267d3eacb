package dev.tidemark.integration.pinot;

import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The released image; skipped where there is no Docker. */
class DockerPinotITCase extends AnyPinotContract {
  @TempDir static Path staging;

  private static @Nullable DockerPinot pinot;

  // Not before all tests: then none of them would be shown as skipped, nor why.
  @BeforeEach
  void startPinotOrSkip() {
    if (pinot == null) {
      pinot = DockerPinot.startOrSkip(staging);
    }
  }

  @AfterAll
  static void closePinot() {
    if (pinot != null) {
      pinot.close();
    }
  }

  @Override
  PinotCluster pinot() {
    return Objects.requireNonNull(pinot, "pinot is null");
  }
}
