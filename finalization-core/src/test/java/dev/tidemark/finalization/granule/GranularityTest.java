package dev.tidemark.finalization.granule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.testing.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GranularityTest {
  private static final long FROM = millis("2000-01-01T00:00:00Z");
  private static final long TO = millis("2030-01-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource({
    // The local day, its start and its end: 24, 23 and 25 hours, halves and quarters of an hour.
    "Asia/Shanghai,       2026-01-01T04:00:00Z, 2025-12-31T16:00:00Z, 2026-01-01T16:00:00Z",
    "America/Los_Angeles, 2026-03-08T20:00:00Z, 2026-03-08T08:00:00Z, 2026-03-09T07:00:00Z",
    "America/Los_Angeles, 2026-11-01T20:00:00Z, 2026-11-01T07:00:00Z, 2026-11-02T08:00:00Z",
    "Europe/London,       2026-03-29T12:00:00Z, 2026-03-29T00:00:00Z, 2026-03-29T23:00:00Z",
    "Europe/London,       2026-10-25T12:00:00Z, 2026-10-24T23:00:00Z, 2026-10-26T00:00:00Z",
    "Asia/Kolkata,        2026-01-01T12:00:00Z, 2025-12-31T18:30:00Z, 2026-01-01T18:30:00Z",
    "Asia/Kathmandu,      2026-01-01T12:00:00Z, 2025-12-31T18:15:00Z, 2026-01-01T18:15:00Z",
    // Midnight does not exist: the day begins at 01:00.
    "America/Sao_Paulo,   2017-10-15T12:00:00Z, 2017-10-15T03:00:00Z, 2017-10-16T02:00:00Z",
    // The 30th of December 2011 does not exist.
    "Pacific/Apia,        2011-12-30T02:00:00Z, 2011-12-29T10:00:00Z, 2011-12-30T10:00:00Z",
  })
  void localDaysAreAsLongAsTheyAre(String zone, String within, String start, String end) {
    Granularity days = Granularity.daysIn(ZoneId.of(zone));

    assertThat(days.floor(millis(within))).isEqualTo(millis(start));
    assertThat(days.next(millis(within))).isEqualTo(millis(end));
    assertThat(days.floor(millis(start))).isEqualTo(millis(start));
    assertThat(days.floor(millis(end) - 1)).isEqualTo(millis(start));
    assertThat(days.ceil(millis(within))).isEqualTo(millis(end));
    assertThat(days.previous(millis(end))).isEqualTo(millis(start));
  }

  @Test
  void theDaysOfUtcAreTheUtcDays() {
    assertThat(Granularity.parse("P1D@UTC")).isEqualTo(Granularity.DAY).hasToString("P1D");
  }

  @Test
  void losAngelesHasDaysOf23And25Hours() {
    Granularity days = Granularity.parse("P1D@America/Los_Angeles");
    long spring = days.floor(millis("2026-03-08T20:00:00Z"));
    long autumn = days.floor(millis("2026-11-01T20:00:00Z"));

    assertThat(Duration.ofMillis(days.next(spring) - spring)).isEqualTo(Duration.ofHours(23));
    assertThat(Duration.ofMillis(days.next(autumn) - autumn)).isEqualTo(Duration.ofHours(25));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PT1S",
        "PT36S",
        "PT1M",
        "PT15M",
        "PT1H",
        "PT6H",
        "P1D",
        "P1D@UTC",
        "P1D@Asia/Kolkata",
        "P1D@America/Los_Angeles",
        "P1D@Europe/London",
        "P1D@America/St_Johns",
        "P1D@America/Sao_Paulo",
        "P1D@Australia/Lord_Howe",
        "P1D@Pacific/Apia",
        "P1D@America/Havana",
        "P1D@Africa/Casablanca",
        "P1D@Asia/Beirut"
      })
  void granulesTileTheTimeline(String text) {
    Granularity granularity = Granularity.parse(text);
    Random random = Seeds.random("Granularity " + text);
    for (int round = 0; round < 3_000; round++) {
      long time = FROM + (long) (random.nextDouble() * (TO - FROM));
      assertTiles(granularity, time);
      // The minutes around a boundary are where zones go wrong.
      assertTiles(granularity, granularity.floor(time) + random.nextInt(240_000) - 120_000);
    }
  }

  @Test
  void everyZoneTilesTheTimelineOnQuarterHours() {
    Random random = Seeds.random("Granularity zones");
    for (String zone : ZoneId.getAvailableZoneIds()) {
      Granularity days = Granularity.daysIn(ZoneId.of(zone));
      for (int round = 0; round < 30; round++) {
        long time = FROM + (long) (random.nextDouble() * (TO - FROM));
        assertTiles(days, time);
        assertThat(days.floor(time) % days.sliceMillis()).as(zone).isZero();
      }
    }
  }

  @Test
  void theEndOfSummerTimeAMinutePastMidnightKeepsOneDay() {
    // Until 2011 St. John's put clocks back at 00:01, so that 00:00 came twice.
    Granularity days = Granularity.parse("P1D@America/St_Johns");
    long midnight = millis("2010-11-07T02:30:00Z");
    for (long time = midnight; time < midnight + 2 * 3_600_000; time += 10_000) {
      assertTiles(days, time);
    }
  }

  @Test
  void fixedGranulesAlignToTheUtcDayBefore1970Too() {
    assertThat(Granularity.HOUR.floor(-1)).isEqualTo(-3_600_000);
    assertThat(Granularity.HOUR.ceil(-1)).isZero();
    assertThat(Granularity.HOUR.next(-3_600_000)).isZero();
    assertThat(Granularity.DAY.floor(-1)).isEqualTo(-86_400_000);
    assertThat(Granularity.of(Duration.ofSeconds(36)).floor(millis("2026-01-01T00:00:59Z")))
        .isEqualTo(millis("2026-01-01T00:00:36Z"));
  }

  @Test
  void textReadsBackEqual() {
    for (String text :
        List.of("PT1S", "PT36S", "PT15M", "PT1H", "P1D", "P1D@Asia/Seoul", "P1D@+05:30")) {
      Granularity granularity = Granularity.parse(text);
      assertThat(granularity).hasToString(text).isEqualTo(Granularity.parse(text));
      assertThat(granularity).hasSameHashCodeAs(Granularity.parse(granularity.toString()));
    }
    assertThat(Granularity.parse("PT24H")).isEqualTo(Granularity.DAY).hasToString("P1D");
    assertThat(Granularity.parse("PT60M")).isEqualTo(Granularity.HOUR);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PT0S",
        "-PT1H",
        "PT0.5S",
        "PT7H",
        "PT25H",
        "P2D",
        "PT1.0000001S",
        "PT2562047788015215H",
        "P100000000000000D"
      })
  void refusesADurationThatDoesNotDivideADay(String duration) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Granularity.parse(duration))
        .withMessage(
            "Invalid granularity: "
                + Duration.parse(duration)
                + " (expected: a duration of at least PT1S that divides a day, such as PT15M, PT1H"
                + " or P1D)");
  }

  @Test
  void refusesTextThatIsNone() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Granularity.parse("hour"))
        .withMessage("Invalid granularity: hour (expected: such as PT1H, P1D or P1D@Asia/Seoul)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Granularity.parse("P1D@Mars/Olympus"))
        .withMessage("Invalid granularity: P1D@Mars/Olympus (the time zone is not known)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Granularity.parse("PT1H@Asia/Seoul"))
        .withMessageContaining("Invalid granularity: PT1H@Asia/Seoul");
  }

  private static void assertTiles(Granularity granularity, long time) {
    long floor = granularity.floor(time);
    long next = granularity.next(time);
    assertThat(time).as("%s %s", granularity, time).isGreaterThanOrEqualTo(floor).isLessThan(next);
    assertThat(granularity.floor(floor)).isEqualTo(floor);
    assertThat(granularity.floor(next - 1)).isEqualTo(floor);
    assertThat(granularity.next(floor)).isEqualTo(next);
    assertThat(granularity.floor(next)).isEqualTo(next);
    assertThat(granularity.previous(next)).isEqualTo(floor);
    assertThat(granularity.ceil(time)).isEqualTo(time == floor ? time : next);
  }

  private static long millis(String time) {
    return Instant.parse(time).toEpochMilli();
  }
}
