package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import org.junit.jupiter.api.Test;

class TimeReadingTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  @Test
  void numbersCountInTheUnitOfTheColumn() {
    assertThat(new TimeReading("1:MILLISECONDS:EPOCH").millis(NOON.toEpochMilli()))
        .isEqualTo(NOON.toEpochMilli());
    assertThat(new TimeReading("1:SECONDS:EPOCH").millis((int) NOON.getEpochSecond()))
        .isEqualTo(NOON.toEpochMilli());
    assertThat(new TimeReading("TIMESTAMP").millis(NOON.toEpochMilli()))
        .isEqualTo(NOON.toEpochMilli());
  }

  @Test
  void textIsReadByTheFormat() {
    TimeReading day = new TimeReading("SIMPLE_DATE_FORMAT|yyyy-MM-dd");
    assertThat(day.millis("2026-01-01"))
        .isEqualTo(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());
    assertThat(day.millis("new year")).isNull();
  }

  @Test
  void calendarValuesAreReadInUtc() {
    TimeReading millis = new TimeReading("1:MILLISECONDS:EPOCH");
    assertThat(millis.millis(NOON)).isEqualTo(NOON.toEpochMilli());
    assertThat(millis.millis(LocalDateTime.parse("2026-01-01T12:00:00")))
        .isEqualTo(NOON.toEpochMilli());
    assertThat(millis.millis(OffsetDateTime.parse("2026-01-01T13:00:00+01:00")))
        .isEqualTo(NOON.toEpochMilli());
    assertThat(millis.millis(LocalDate.parse("2026-01-01")))
        .isEqualTo(NOON.toEpochMilli() - 12 * 3_600_000);
    assertThat(millis.millis(null)).isNull();
  }
}
