package dev.tidemark.quickstart.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.flights.Flight;
import dev.tidemark.quickstart.flights.FlightChange;
import dev.tidemark.quickstart.flights.FlightChange.Kind;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExpectedChangesTest {
  private static final LocalDateTime NOON = LocalDateTime.of(2001, 1, 10, 12, 0);

  @Test
  void theNewestChangeCountsWhoeverBroughtIt() {
    ExpectedChanges expected =
        ExpectedChanges.of(
            List.of(change(1, 0, Kind.INSERT), change(2, 9, Kind.INSERT)),
            List.of(change(1, 5, Kind.CORRECT), change(2, 5, Kind.CORRECT)));

    assertThat(String.valueOf(expected.rows().get(1))).endsWith("stream]");
    assertThat(String.valueOf(expected.rows().get(2))).endsWith("backfill]");
    assertThat(expected.ties()).isZero();
  }

  @Test
  void theStreamWinsTies() {
    ExpectedChanges expected =
        ExpectedChanges.of(List.of(change(1, 5, Kind.INSERT)), List.of(change(1, 5, Kind.INSERT)));

    assertThat(String.valueOf(expected.rows().get(1))).endsWith("stream]");
    assertThat(expected.ties()).isEqualTo(1);
  }

  @Test
  void aKeyWhoseNewestChangeIsADeletionHasNoRow() {
    ExpectedChanges expected =
        ExpectedChanges.of(
            List.of(change(1, 0, Kind.INSERT), change(1, 5, Kind.DELETE)),
            List.of(change(1, 3, Kind.CORRECT)));

    assertThat(expected.rows()).isEmpty();
    assertThat(expected.deleted()).isEqualTo(1);
  }

  private static FlightChange change(int id, int minute, Kind kind) {
    Flight flight = new Flight(id, NOON, 0, 100, "ANC", "LAX");
    return new FlightChange(NOON.plusMinutes(minute), kind, flight);
  }
}
