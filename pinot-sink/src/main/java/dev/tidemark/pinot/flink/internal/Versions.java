package dev.tidemark.pinot.flink.internal;

import java.io.IOException;

/** Versions of what state holds. */
final class Versions {
  private Versions() {}

  static void check(String what, int version, int newest) throws IOException {
    if (version < 1 || version > newest) {
      throw new IOException(
          "Cannot read "
              + what
              + ": version "
              + version
              + " (expected: 1 to "
              + newest
              + "; it may be of a newer sink)");
    }
  }
}
