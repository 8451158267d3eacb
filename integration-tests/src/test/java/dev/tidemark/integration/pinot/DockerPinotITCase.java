package dev.tidemark.integration.pinot;

import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** The released image; skipped where there is no Docker, or no image. */
class DockerPinotITCase extends AnyPinotContract {
  @TempDir static Path staging;

  private static @Nullable DockerPinot pinot;
  private static @Nullable TestAbortedException skipped;

  // Not before all tests: then none of them would be shown as skipped, nor why.
  @BeforeEach
  void startPinotOrSkip() {
    if (skipped != null) {
      throw skipped; // each try to get an image takes minutes
    }
    try {
      pinot = pinot == null ? DockerPinot.startOrSkip(staging) : pinot;
    } catch (TestAbortedException e) {
      skipped = e;
      throw e;
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

  @Override
  Optional<String> whyItConsumesNothing() {
    return Optional.of("a container reaches no Kafka of this host");
  }
}
