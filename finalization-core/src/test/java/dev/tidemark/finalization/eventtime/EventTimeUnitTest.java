package dev.tidemark.finalization.eventtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class EventTimeUnitTest {
  private static final long TIME = Instant.parse("2026-01-01T10:00:00.123Z").toEpochMilli();

  @Test
  void everyUnitReadsItsNumber() {
    assertThat(EventTimeUnit.SECONDS.toMillis(TIME / 1_000)).isEqualTo(TIME - 123);
    assertThat(EventTimeUnit.MILLIS.toMillis(TIME)).isEqualTo(TIME);
    assertThat(EventTimeUnit.MICROS.toMillis(TIME * 1_000 + 999)).isEqualTo(TIME);
    assertThat(EventTimeUnit.NANOS.toMillis(TIME * 1_000_000 + 999_999)).isEqualTo(TIME);
    assertThat(EventTimeUnit.TSO.toMillis(TIME << 18 | 77)).isEqualTo(TIME);
    assertThat(EventTimeUnit.ISO_8601.parseMillis("2026-01-01T19:00:00.1239+09:00"))
        .isEqualTo(TIME);
    assertThat(EventTimeUnit.MICROS.parseMillis(TIME + "000")).isEqualTo(TIME);
  }

  @Test
  void roundsTowardsThePastBefore1970Too() {
    assertThat(EventTimeUnit.MICROS.toMillis(-1)).isEqualTo(-1);
    assertThat(EventTimeUnit.NANOS.toMillis(-1)).isEqualTo(-1);
    assertThat(EventTimeUnit.NANOS.toMillis(-1_000_001)).isEqualTo(-2);
  }

  @Test
  void secondsThatDoNotFitBecomeTimesThatNoBoundsAccept() {
    assertThat(EventTimeUnit.SECONDS.toMillis(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(EventTimeUnit.SECONDS.toMillis(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
    long most = Long.MAX_VALUE / 1_000;
    assertThat(EventTimeUnit.SECONDS.toMillis(most)).isEqualTo(most * 1_000);
    assertThat(EventTimeUnit.SECONDS.toMillis(most + 1)).isEqualTo(Long.MAX_VALUE);
    assertThat(EventTimeUnit.SECONDS.toMillis(-most)).isEqualTo(-most * 1_000);
    assertThat(EventTimeUnit.SECONDS.toMillis(-most - 1)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void namesAreReadInAnyCase() {
    assertThat(EventTimeUnit.named("micros")).isEqualTo(EventTimeUnit.MICROS);
    assertThat(EventTimeUnit.named("iso-8601")).isEqualTo(EventTimeUnit.ISO_8601);
    assertThat(EventTimeUnit.named("Tso")).isEqualTo(EventTimeUnit.TSO);
  }

  @Test
  void refusalsNameTheValueAndWhatWasExpected() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventTimeUnit.named("ms"))
        .withMessageContaining("ms (expected: one of seconds, millis");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventTimeUnit.ISO_8601.parseMillis("2026-01-01 10:00"))
        .withMessageContaining("\"2026-01-01 10:00\"")
        .withMessageContaining("1970-01-01T00:00:00Z");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EventTimeUnit.MILLIS.parseMillis("2026-01-01T10:00:00Z"))
        .withMessageContaining("a whole number");
    assertThatIllegalStateException()
        .isThrownBy(() -> EventTimeUnit.ISO_8601.toMillis(7))
        .withMessageContaining("declare its unit");
  }
}
