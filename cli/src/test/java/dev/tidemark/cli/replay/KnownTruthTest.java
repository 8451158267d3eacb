package dev.tidemark.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.finalization.eventtime.RowsBelow;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.testing.Flights;
import dev.tidemark.finalization.testing.Seeds;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.PolicySimulation;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A replay from summaries against the same engine run live over the rows: real flights, and a
 * simulated stream. What the table published meanwhile, under another policy, must not matter.
 */
class KnownTruthTest {
  private static final Clock REPLAYED =
      Clock.fixed(Instant.parse("2026-01-01T00:00:00Z"), ZoneOffset.UTC);
  private static final List<FinalizationPolicy> EXACT =
      List.of(
          FinalizationPolicy.MIN,
          FinalizationPolicy.boundedLateness(Duration.ofMinutes(10)),
          FinalizationPolicy.boundedLateness(Duration.ofHours(3)));
  private static final double[] QUANTILES = {0.0001, 0.001, 0.01, 0.05, 0.2};

  @Test
  void flightsGiveTheWatermarksOfALiveRun() {
    assertWatermarksOfALiveRun("flights", flights());
  }

  @Test
  void simulationGivesTheWatermarksOfALiveRun() {
    assertWatermarksOfALiveRun("simulation", simulation());
  }

  @Test
  void flightsGiveTheLateRowsOfTheRows() {
    assertLateRowsOfTheRows("flights", flights());
  }

  @Test
  void simulationGivesTheLateRowsOfTheRows() {
    assertLateRowsOfTheRows("simulation", simulation());
  }

  /** The figures computed independently, see FlightsTest: 47 late over 6 commits, 551 over one. */
  @Test
  void lateFlightsAreThoseComputedIndependently() {
    List<Flights.Landed> landings = Flights.landings(REPLAYED);
    List<LiveTable.Raw> raws = new ArrayList<>();
    for (int i = 0; i < landings.size(); i++) {
      raws.add(new LiveTable.Raw(REPLAYED.millis() + i * 300_000L, landings.get(i).facts()));
    }
    StoredHistory history =
        LiveTable.run(raws, LiveTable.config(FinalizationPolicy.MIN, 1, Duration.ZERO)).history();
    assertThat(Replay.run(history, Trial.AS_PUBLISHED, 0).replayed().figures().late())
        .isEqualTo(RowsBelow.exactly(551));
    RowsBelow six = replay(history, FinalizationPolicy.MIN, 6, Duration.ZERO).figures().late();
    assertThat(six).as("the published watermark is never behind this one").isEqualTo(exactly(47));
  }

  private static RowsBelow exactly(long rows) {
    return RowsBelow.exactly(rows);
  }

  /** Rows counted one by one, against each watermark of the replay. */
  @Test
  void lateFlightsAreWithinTheStatedErrorOfTheRawRows() {
    List<Flights.Landed> landings = Flights.landings(REPLAYED);
    StoredHistory history =
        LiveTable.run(
                flights(), LiveTable.config(FinalizationPolicy.MIN, 24, Duration.ofMinutes(30)))
            .history();
    for (Granularity granularity : List.of(Granularity.HOUR, Granularity.parse("PT15M"))) {
      for (double q : QUANTILES) {
        PolicyText text =
            new PolicyText(FinalizationPolicy.quantile(q), 3, Duration.ZERO, granularity);
        Replay.Side side = Replay.run(history, Trial.of(text), 0).replayed();
        long late = 0;
        for (int i = 0; i < side.steps().size(); i++) {
          Long base = side.steps().get(i).base();
          late +=
              landings.get(i).flights().stream()
                  .filter(flight -> base != null && flight.departureMillis() < base)
                  .count();
        }
        RowsBelow stated = lateOf(side);
        System.out.printf(Locale.ROOT, "flights %s: %d late, stated %s%n", text, late, stated);
        assertThat(late).isBetween(stated.least(), stated.most());
      }
    }
  }

  /** Another policy than the table's begins where history does, as a new table would. */
  @Test
  void historyThatHasExpiredStartsCold() {
    List<LiveTable.Raw> raws = flights();
    LiveTable table =
        LiveTable.run(raws, LiveTable.config(FinalizationPolicy.MIN, 12, Duration.ZERO));
    List<LiveTable.Raw> kept = raws.subList(300, raws.size());
    StoredHistory history = StoredHistory.read(table.commits().stream().limit(kept.size()));
    assertThat(history.gaps().isWhole()).isFalse();
    for (FinalizationPolicy policy : EXACT) {
      PolicyText text = LiveTable.config(policy, 6, Duration.ZERO);
      assertThat(
              Replay.run(history, Trial.of(text), 0).replayed().steps().stream().map(Step::after))
          .isEqualTo(
              LiveTable.run(kept, text).steps().stream().map(LiveTable.LiveStep::after).toList());
    }
  }

  @Test
  void eachOfSeveralWritersHasAWindowOfItsOwn() {
    Random random = Seeds.random("KnownTruth writers");
    List<LiveTable.Raw> raws = new ArrayList<>();
    for (LiveTable.Raw raw : simulation()) {
      int writer = Math.min(2, (int) (-Math.log(random.nextDouble()) * 0.9));
      raws.add(new LiveTable.Raw(raw.timeMillis(), raw.facts(), "writer-" + writer));
    }
    StoredHistory history =
        LiveTable.run(raws, LiveTable.config(FinalizationPolicy.MIN, 6, Duration.ZERO)).history();
    assertThat(history.newest().writers()).hasSize(3);
    for (FinalizationPolicy policy : EXACT) {
      PolicyText text = LiveTable.config(policy, 4, Duration.ofMinutes(30));
      assertThat(
              Replay.run(history, Trial.of(text), 0).replayed().steps().stream().map(Step::after))
          .isEqualTo(
              LiveTable.run(raws, text).steps().stream().map(LiveTable.LiveStep::after).toList());
    }
  }

  private static void assertWatermarksOfALiveRun(String what, List<LiveTable.Raw> raws) {
    StoredHistory history =
        LiveTable.run(
                raws,
                LiveTable.config(FinalizationPolicy.quantile(0.01), 6, Duration.ofMinutes(30)))
            .history();
    for (int commits : new int[] {1, 6, 24}) {
      for (FinalizationPolicy policy : EXACT) {
        LiveTable live = LiveTable.run(raws, LiveTable.config(policy, commits, Duration.ZERO));
        Replay.Side side = replay(history, policy, commits, Duration.ZERO);
        assertThat(side.steps().stream().map(Step::after))
            .as("%s, %s over %s", what, policy, commits)
            .isEqualTo(live.steps().stream().map(LiveTable.LiveStep::after).toList());
      }
    }
    // Up to 16 commits, where the window's minimum is exact and so follows the quantile.
    for (int commits : new int[] {1, 6, 16}) {
      for (double q : QUANTILES) {
        assertBetweenNeighbours(raws, history, q, commits);
      }
    }
  }

  /** Between the live watermarks of the quantiles that are the stated error of a text away. */
  private static void assertBetweenNeighbours(
      List<LiveTable.Raw> raws, StoredHistory history, double q, int commits) {
    double error = 4 * (0.0003 + 0.06 * q * (1 - q));
    LiveTable below = live(raws, Math.max(0, q - error), commits);
    LiveTable same = live(raws, q, commits);
    LiveTable above = live(raws, Math.min(0.5, q + error), commits);
    Replay.Side side = replay(history, FinalizationPolicy.quantile(q), commits, Duration.ZERO);
    int different = 0;
    for (int i = 0; i < raws.size(); i++) {
      Long watermark = side.steps().get(i).after();
      different += Objects.equals(watermark, same.steps().get(i).after()) ? 0 : 1;
      if (watermark != null) {
        assertThat(watermark)
            .as("q=%s over %s, commit %s", q, commits, i)
            .isBetween(below.steps().get(i).after(), above.steps().get(i).after());
      }
    }
    System.out.printf(
        Locale.ROOT,
        "q=%s over %d: %d of %d watermarks differ from a live run%n",
        q,
        commits,
        different,
        raws.size());
  }

  private static LiveTable live(List<LiveTable.Raw> raws, double q, int commits) {
    return LiveTable.run(
        raws, LiveTable.config(FinalizationPolicy.quantile(q), commits, Duration.ZERO));
  }

  private static void assertLateRowsOfTheRows(String what, List<LiveTable.Raw> raws) {
    StoredHistory history =
        LiveTable.run(raws, LiveTable.config(FinalizationPolicy.MIN, 6, Duration.ZERO)).history();
    for (FinalizationPolicy policy : EXACT) {
      LiveTable live = LiveTable.run(raws, LiveTable.config(policy, 3, Duration.ZERO));
      Replay.Side side = replay(history, policy, 3, Duration.ZERO);
      RowsBelow stated = lateOf(side);
      System.out.printf(
          Locale.ROOT, "%s %s: %d late, stated %s%n", what, policy, live.late(), stated);
      assertThat(live.late()).isBetween(stated.least(), stated.most());
      int first = live.steps().size() - side.figures().commits();
      assertThat(side.figures().behindCommit().meanMillis() / 60_000)
          .isEqualTo(live.meanLagMinutes(first), within(1e-6));
    }
  }

  private static RowsBelow lateOf(Replay.Side side) {
    return side.steps().stream()
        .map(step -> LateJudge.late(step.commit(), step.base()))
        .reduce(RowsBelow.NONE, RowsBelow::plus);
  }

  private static Replay.Side replay(
      StoredHistory history, FinalizationPolicy policy, int commits, Duration span) {
    PolicyText text = new PolicyText(policy, commits, span, Granularity.HOUR);
    return Replay.run(history, Trial.of(text), 0).replayed();
  }

  private static List<LiveTable.Raw> flights() {
    return Flights.landings(REPLAYED).stream()
        .map(landed -> new LiveTable.Raw(landed.endMillis(), landed.facts()))
        .toList();
  }

  private static List<LiveTable.Raw> simulation() {
    Random random = Seeds.random("KnownTruth");
    PolicySimulation simulation =
        new PolicySimulation(PolicySimulation.Settings.DEFAULT.withRecordsPerCommit(2_000), random);
    List<LiveTable.Raw> raws = new ArrayList<>();
    for (int i = 0; i < simulation.commits().size(); i++) {
      raws.add(new LiveTable.Raw(PolicySimulation.commitTime(i), simulation.commits().get(i)));
    }
    return raws;
  }
}
