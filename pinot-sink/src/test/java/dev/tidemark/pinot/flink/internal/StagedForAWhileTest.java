package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.testing.TestingClock;
import dev.tidemark.pinot.segment.StagedFiles;
import dev.tidemark.pinot.segment.TarCompression;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When staged files go, and which controllers can open them. */
class StagedForAWhileTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<String> deleted = new ArrayList<>();
  private final TestingClock clock = new TestingClock(START);

  @Test
  void filesGoWithTheFirstCommitAfterTheGracePeriod() throws Exception {
    StagedFiles files = new KeptForAWhile(new Recorded(), Duration.ofHours(1), clock);
    files.delete("a");
    files.delete("b");
    assertThat(deleted).isEmpty();
    clock.advance(Duration.ofHours(1));
    files.delete("c");
    assertThat(deleted).containsExactly("a", "b");
  }

  @Test
  void withoutAGracePeriodFilesGoAtOnce() throws Exception {
    new KeptForAWhile(new Recorded(), Duration.ZERO, clock).delete("a");
    assertThat(deleted).containsExactly("a");
  }

  @Test
  void zstandardIsRefusedWhereTheControllerKnowsGzipAlone() {
    for (String version : List.of("0.11.0", "1.2.0")) {
      assertThatThrownBy(() -> TarsOfController.check(TarCompression.ZSTD, Optional.of(version)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("version " + version)
          .hasMessageContaining("TarCompression.GZIP");
      assertThatCode(() -> TarsOfController.check(TarCompression.GZIP, Optional.of(version)))
          .doesNotThrowAnyException();
    }
    for (String version : List.of("1.3.0", "1.5.1", "2.0.0", "unknown")) {
      assertThatCode(() -> TarsOfController.check(TarCompression.ZSTD, Optional.of(version)))
          .doesNotThrowAnyException();
    }
  }

  private final class Recorded implements StagedFiles {
    @Override
    public InputStream open(String uri) {
      return InputStream.nullInputStream();
    }

    @Override
    public void delete(String uri) {
      deleted.add(uri);
    }
  }
}
