package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.segment.TarCompression;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which tars a controller can open. Pinot tells their compression by itself since 1.3. */
final class TarsOfController {
  private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*");
  private static final int FIRST_MAJOR = 1;
  private static final int FIRST_MINOR = 3;

  private TarsOfController() {}

  /**
   * Refuses Zstandard where the controller knows gzip alone.
   *
   * @param version as the controller says; one that says nothing readable is not refused
   * @throws IllegalArgumentException if it is older than 1.3
   */
  static void check(TarCompression compression, Optional<String> version) {
    Matcher matcher = VERSION.matcher(version.orElse(""));
    if (compression != TarCompression.ZSTD || !matcher.matches()) {
      return;
    }
    int major = Integer.parseInt(matcher.group(1));
    int minor = Integer.parseInt(matcher.group(2));
    if (major < FIRST_MAJOR || (major == FIRST_MAJOR && minor < FIRST_MINOR)) {
      throw new IllegalArgumentException(
          "Cannot upload segments that are compressed with Zstandard to a controller of version "
              + version.orElse("")
              + " (expected: 1.3 or newer, or compression(TarCompression.GZIP))");
    }
  }
}
