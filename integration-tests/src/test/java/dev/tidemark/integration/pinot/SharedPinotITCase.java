package dev.tidemark.integration.pinot;

import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;

/** The embedded Pinot, or the one named by {@code -Dtidemark.pinot.controller}. */
class SharedPinotITCase extends AnyPinotContract {
  @Override
  PinotCluster pinot() {
    return SharedPinot.get();
  }
}
