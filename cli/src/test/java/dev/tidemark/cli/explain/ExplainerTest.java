package dev.tidemark.cli.explain;

import static dev.tidemark.finalization.watermark.FinalizationConfig.forWriter;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.cli.testing.EngineRun;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every reason of a hold, as the engine really comes to it. */
class ExplainerTest {
  private final EngineRun table = new EngineRun();
  private final FinalizationConfig two = config("orders").lookback(2, Duration.ZERO).build();

  @Test
  void commitThatMovedTheWatermarkNamesTheOneThatHoldsTheNextHour() {
    table.by(two).rows("09:05", "09:50").commit();
    table.by(two).rows("10:20", "10:30").commit();

    Explanation explanation = explain();

    assertThat(explanation.state()).isEqualTo(Explanation.State.MOVED);
    assertThat(explanation.summary())
        .isEqualTo("The last commit moved the watermark to 2026-01-01T09:00:00Z.");
    assertThat(explanation.responsible())
        .singleElement()
        .satisfies(one -> assertThat(one.name()).isEqualTo("c1"));
    assertThat(explanation.moves())
        .containsExactly(
            "2026-01-01T09 is final once the earliest event of every commit in the window is at or"
                + " after 2026-01-01T10:00:00Z; the least leaves the window after 1 more commit with"
                + " later events.");
    assertThat(explanation.since()).isEqualTo(since("c2", "11:01", false));
  }

  @Test
  void warmUpSaysHowManyCommitsAndHowMuchTimeAreMissing() {
    FinalizationConfig config = config("orders").lookback(3, Duration.ofMinutes(10)).build();
    table.by(config).rows("10:05").commit();
    table.by(config).rows("10:10").commit();

    Explanation explanation = held(Hold.Reason.WARM_UP);

    assertThat(explanation.summary())
        .isEqualTo(
            "The window of writer orders holds 2 of 3 commits and spans 1 min of the 10 min of"
                + " commit time that the policy asks for.");
    assertThat(explanation.moves().get(0))
        .startsWith("1 more commit with stream records, the last not before 2026-01-01T11:10:00Z");
    assertThat(explanation.since()).isEqualTo(since("c1", "11:00", true));
  }

  @Test
  void insideAnHourTheCommitWithTheLeastStatisticIsNamedAndWhenItLeaves() {
    FinalizationConfig config = config("orders").lookback(3, Duration.ofMinutes(2)).build();
    for (String time : List.of("10:05", "10:10", "10:15", "10:20", "10:40")) {
      table.by(config).rows(time, "10:59").commit();
    }

    Explanation explanation = held(Hold.Reason.INSIDE_GRANULE);

    assertThat(explanation.summary())
        .startsWith("The candidate 2026-01-01T10:15:00Z lies inside 2026-01-01T10,");
    assertThat(explanation.responsible())
        .singleElement()
        .satisfies(
            commit -> {
              assertThat(commit.kind()).isEqualTo(Responsible.Kind.COMMIT);
              assertThat(commit.name()).isEqualTo("c3");
              assertThat(commit.text())
                  .isEqualTo(
                      "commit c3 of 2026-01-01T11:02:00Z by orders: its earliest event is the least"
                          + " of the window (2026-01-01T10:15:00Z)");
              assertThat(commit.facts()).containsEntry("streamRows", 2L);
            });
    assertThat(explanation.moves())
        .containsExactly(
            "The commit of the least leaves the window after 1 more commit with later events, not"
                + " before 2026-01-01T11:05:00Z.");
    assertThat(explanation.since()).isEqualTo(since("c4", "11:03", false));
  }

  @Test
  void quantileIsNamedWhereItIsTheStatistic() {
    FinalizationConfig config =
        config("orders")
            .policy(FinalizationPolicy.quantile(0.01))
            .lookback(1, Duration.ZERO)
            .build();
    table.by(config).rows("10:05", "10:30").commit();
    table.by(config).rows("10:40", "10:50").commit();

    assertThat(held(Hold.Reason.INSIDE_GRANULE).responsible().get(0).text())
        .contains("its quantile 0.01 is the least of the window");
  }

  @Test
  void eventsAheadOfTheClockWaitForIt() {
    FinalizationConfig config = config("orders").lookback(1, Duration.ZERO).build();
    table.by(config).rows("11:03").commit();
    table.by(config).rows("12:03").commit();

    assertThat(held(Hold.Reason.INSIDE_GRANULE).summary())
        .startsWith("Events are ahead of the clock: the least statistic of the window is");
  }

  @Test
  void lateRowsAreNamedByCommitAndHour() {
    table.by(two).rows("10:05").commit();
    table.by(two).rows("10:50").commit();
    table.by(two).rows("08:10", "08:20", "10:55").commit();

    Explanation explanation = held(Hold.Reason.LATE_DATA);

    assertThat(explanation.summary())
        .isEqualTo(
            "Late rows pulled the candidate to 2026-01-01T08:10:00Z, below the watermark, which does"
                + " not go back.");
    assertThat(explanation.responsible())
        .extracting(Responsible::name)
        .containsExactly("c3", "2026-01-01T08:00:00Z");
    assertThat(explanation.responsible().get(1).text())
        .isEqualTo("2026-01-01T08 got 2 rows after it was final");
    assertThat(explanation.moves().get(0))
        .isEqualTo(
            "The late rows leave the window after 2 more commits with later events; then the"
                + " earliest event must reach 2026-01-01T11:00:00Z.");
  }

  @Test
  void registeredWriterWithoutARecordIsNamed() {
    table.by(two).commit();
    Explanation explanation = held(Hold.Reason.NO_DATA);
    assertThat(explanation.summary())
        .isEqualTo("Writer orders has registered and committed no stream record yet.");
    assertThat(explanation.responsible())
        .singleElement()
        .satisfies(one -> assertThat(one.kind()).isEqualTo(Responsible.Kind.WRITER));
  }

  @Test
  void commitWithoutARecordIsNamed() {
    FinalizationConfig config = config("orders").lookback(1, Duration.ZERO).build();
    table.by(config).rows("10:00").commit();
    table.by(config).commit();

    assertThat(held(Hold.Reason.NO_DATA).summary())
        .isEqualTo("Commit c2 holds no stream record, and nothing else says that time went on.");
  }

  @Test
  void partitionThatIsBehindIsNamedWithItsOffsetsAndLastEvent() {
    FinalizationConfig config =
        config("orders").lookback(2, Duration.ZERO).coverageExpected().build();
    table
        .by(config)
        .rows("10:05")
        .partition("events-0", 10, 10, "10:05")
        .partition("events-1", 30, 30, "10:04")
        .commit();
    for (int i = 2; i < 5; i++) {
      table
          .by(config)
          .rows("10:5" + i)
          .partition("events-0", i * 10, i * 10, "10:5" + i)
          .partition("events-1", 30, 90, "10:04")
          .commit();
    }

    Explanation explanation = held(Hold.Reason.SOURCE_BEHIND);

    assertThat(explanation.responsible())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.kind()).isEqualTo(Responsible.Kind.PARTITION);
              assertThat(one.name()).isEqualTo("events-1");
              assertThat(one.facts())
                  .containsEntry("behind", 60L)
                  .containsEntry("lastEvent", "2026-01-01T10:04:00Z");
              assertThat(one.text())
                  .isEqualTo(
                      "partition events-1: behind by 60 of 90 offsets, sampled"
                          + " 2026-01-01T11:03:00Z, last event 2026-01-01T10:04:00Z, last delivery"
                          + " 2026-01-01T11:00:00Z");
            });
    assertThat(explanation.moves()).singleElement().asString().contains("reading up to its end");
  }

  /** The hold names the first four of the alphabet; the one that is stuck is p-19. */
  @Test
  void ofManyPartitionsThatAreBehindTheWorstAreNamed() {
    FinalizationConfig config =
        config("orders").lookback(1, Duration.ZERO).coverageExpected().build();
    for (int commit = 1; commit <= 2; commit++) {
      EngineRun.Draft draft =
          table.by(config).rows("10:05").partition("p-99", commit * 10L, commit * 10L, "10:05");
      for (int i = 10; i < 22; i++) {
        draft.partition("p-" + i, 30, i == 19 ? 10_000_000 : 33 + i, "10:04");
      }
      draft.commit();
    }

    Explanation explanation = held(Hold.Reason.SOURCE_BEHIND);

    assertThat(explanation.responsible()).hasSize(10);
    assertThat(explanation.responsible().get(0).name()).isEqualTo("p-19");
    assertThat(explanation.responsible()).extracting(Responsible::name).doesNotContain("p-99");
    assertThat(explanation.summary()).endsWith(" They are 12: the worst 10 are listed.");
  }

  @Test
  void ofManyWritersThatAreBehindTheOneThatHasComeLeastFarIsNamedFirst() {
    FinalizationConfig one = config("z-orders").lookback(1, Duration.ZERO).build();
    table.by(one).rows("06:05").commit();
    for (String name : List.of("a", "b", "c", "d", "e", "f")) {
      table.by(config(name).lookback(1, Duration.ZERO).build()).commit();
    }
    table.by(config("e").lookback(1, Duration.ZERO).build()).rows("05:05").commit();
    table.by(one).rows("10:05").commit();

    Explanation explanation = held(Hold.Reason.WRITER_BEHIND);

    assertThat(explanation.responsible())
        .extracting(Responsible::name)
        .containsExactly("a", "b", "c", "d", "f", "e");
    assertThat(explanation.summary()).endsWith(" 6 hold it: the worst first.");
  }

  @Test
  void commitWithoutTheCoverageThatIsExpectedSaysSo() {
    FinalizationConfig config = config("orders").coverageExpected().build();
    table.by(config).rows("10:05").commit();
    Explanation explanation = held(Hold.Reason.SOURCE_BEHIND);
    assertThat(explanation.summary()).contains("says nothing of its source");
    assertThat(explanation.responsible()).isEmpty();
  }

  @Test
  void idlePartitionIsNamedWhereTheRuleIsToWait() {
    FinalizationConfig config =
        config("orders")
            .lookback(1, Duration.ZERO)
            .coverageExpected()
            .idleRule(FinalizationConfig.IdleRule.HOLD)
            .build();
    table
        .by(config)
        .rows("10:05")
        .partition("events-0", 10, 10, "10:05")
        .partition("events-1", 0, 0, null)
        .commit();

    Explanation explanation = held(Hold.Reason.IDLE_SOURCE);

    assertThat(explanation.responsible()).extracting(Responsible::name).containsExactly("events-1");
    assertThat(explanation.responsible().get(0).text()).contains("at its end offset 0");
    assertThat(explanation.moves()).contains("A record on each of them.");
  }

  @Test
  void partitionThatPromisedNothingIsNamed() {
    FinalizationConfig config = promising();
    table
        .by(config)
        .rows("10:05")
        .promised("events-0", 10, "10:40")
        .partition("events-1", 5, 5, null)
        .commit();
    assertThat(held(Hold.Reason.IDLE_SOURCE).summary())
        .isEqualTo("Partitions of the source stand at their end and have promised nothing.");
  }

  @Test
  void leastPromiseIsNamedInsideAnHour() {
    FinalizationConfig config = promising();
    table
        .by(config)
        .rows("10:05")
        .promised("events-0", 10, "10:40")
        .promised("events-1", 5, "10:10")
        .commit();
    table
        .by(config)
        .rows("10:06")
        .promised("events-0", 11, "11:40")
        .promised("events-1", 5, "10:20")
        .commit();

    Explanation explanation = held(Hold.Reason.INSIDE_GRANULE);

    assertThat(explanation.responsible()).extracting(Responsible::name).containsExactly("events-1");
    assertThat(explanation.responsible().get(0).text())
        .endsWith("promised up to 2026-01-01T10:20:00Z");
  }

  @Test
  void laggingWriterIsNamedWithItsLastCommitAndHowToRetireIt() {
    FinalizationConfig one = config("orders").lookback(1, Duration.ZERO).build();
    FinalizationConfig other = config("returns").lookback(1, Duration.ZERO).build();
    table.by(other).rows("08:05").commit();
    table.by(one).rows("10:05").commit();

    Explanation explanation = held(Hold.Reason.WRITER_BEHIND);

    assertThat(explanation.summary())
        .isEqualTo(
            "The table is as far as the least of its 2 registered writers; orders has come as far as"
                + " 2026-01-01T10:00:00Z.");
    assertThat(explanation.responsible())
        .singleElement()
        .satisfies(
            writer -> {
              assertThat(writer.kind()).isEqualTo(Responsible.Kind.WRITER);
              assertThat(writer.text())
                  .isEqualTo(
                      "writer returns: stands at 2026-01-01T08:00:00Z; its last commit c1 of"
                          + " 2026-01-01T11:00:00Z moved the table");
            });
    assertThat(explanation.moves().get(0)).endsWith("tidemark writers retire lake.db.t returns");
  }

  @Test
  void afterAMoveTheWriterThatHasComeLeastFarIsTheOneThatCounts() {
    FinalizationConfig bank = config("bank").lookback(1, Duration.ZERO).build();
    FinalizationConfig cards = config("cards").lookback(1, Duration.ZERO).build();
    table.by(cards).commit();
    table.by(bank).rows("08:30").commit();
    table.by(cards).rows("10:10").commit();

    Explanation explanation = explain();

    assertThat(explanation.state()).isEqualTo(Explanation.State.MOVED);
    assertThat(explanation.responsible()).extracting(Responsible::name).containsExactly("c2");
    assertThat(explanation.moves().get(0))
        .startsWith(
            "2026-01-01T08 is final once the earliest event of every commit in the window of writer"
                + " bank is at or after 2026-01-01T09:00:00Z");
  }

  @Test
  void otherWritersThatStandAtTheWatermarkAreNoted() {
    FinalizationConfig bank = config("bank").lookback(1, Duration.ZERO).build();
    FinalizationConfig cards = config("cards").lookback(1, Duration.ZERO).build();
    table.by(bank).rows("10:30").commit();
    table.by(cards).rows("10:10").commit();
    table.by(bank).rows("10:40").commit();
    assertThat(held(Hold.Reason.INSIDE_GRANULE).notes())
        .containsExactly("No further than the table have come, besides: cards.");
  }

  /** Each commit begins another hold; the hour has stood for all that time. */
  @Test
  void watermarkStandsSinceLongerThanItsHoldWhereWritersTakeTurns() {
    FinalizationConfig bank = config("bank").lookback(1, Duration.ZERO).build();
    FinalizationConfig cards = config("cards").lookback(1, Duration.ZERO).build();
    table.by(bank).rows("10:30").commit();
    table.by(cards).rows("12:10").commit();
    for (int i = 0; i < 5; i++) {
      table.by(bank).rows("10:40").commit();
      table.by(cards).rows("12:20").commit();
    }
    table.by(bank).rows("10:45").commit();

    Explanation explanation = held(Hold.Reason.INSIDE_GRANULE);

    assertThat(explanation.since()).isEqualTo(since("c13", "11:12", false));
    assertThat(explanation.standsSince()).isEqualTo(since("c1", "11:00", true));
    JsonNode json = ExplanationJson.of(explanation);
    assertThat(json.path("standsSince").path("commit").asText()).isEqualTo("c1");
  }

  @Test
  void writerThatJoinedBehindTheTableIsExplainedByItsOwnHour() {
    FinalizationConfig one = config("orders").lookback(1, Duration.ZERO).build();
    FinalizationConfig joined = config("returns").lookback(1, Duration.ZERO).build();
    table.by(one).rows("10:05").commit();
    table.by(joined).rows("08:05").commit();
    table.by(joined).rows("08:20").commit();

    Explanation explanation = held(Hold.Reason.INSIDE_GRANULE);

    assertThat(explanation.summary())
        .isEqualTo(
            "The candidate 2026-01-01T08:20:00Z lies inside 2026-01-01T08, which is final once the"
                + " earliest event of every commit in the window is at or after"
                + " 2026-01-01T09:00:00Z.");
    assertThat(explanation.moves())
        .contains(
            "The table itself moves once writer returns, which stands at 2026-01-01T08:00:00Z and"
                + " joined behind it, has come to 2026-01-01T11:00:00Z.");
    table.by(joined).rows("07:20").commit();
    assertThat(held(Hold.Reason.LATE_DATA).summary())
        .contains("below the watermark of writer returns, 2026-01-01T08:00:00Z, which does not");
  }

  @Test
  void writerIsExplainedByItsOwnPolicy() {
    FinalizationConfig bank = config("bank").lookback(2, Duration.ZERO).build();
    FinalizationConfig cards =
        config("cards")
            .policy(FinalizationPolicy.boundedLateness(Duration.ofHours(1)))
            .lookback(1, Duration.ZERO)
            .build();
    table.by(cards).commit();
    table.by(bank).rows("08:30", "08:40").commit();
    table.by(bank).rows("08:20", "10:59").commit();
    table.by(cards).rows("10:50").commit();

    Explanation explanation = explain();

    assertThat(explanation.state()).isEqualTo(Explanation.State.MOVED);
    assertThat(explanation.responsible()).extracting(Responsible::name).containsExactly("c3");
    assertThat(explanation.moves().get(0))
        .contains("once the earliest event of every commit in the window of writer bank");
  }

  @Test
  void writerWhoseCommitsHaveExpiredIsNamedAllTheSame() {
    FinalizationConfig one = config("orders").lookback(1, Duration.ZERO).build();
    table.by(config("returns").lookback(1, Duration.ZERO).build()).rows("08:05").commit();
    table.by(one).rows("10:05").commit();
    table.expireAllBut(1);
    assertThat(held(Hold.Reason.WRITER_BEHIND).responsible().get(0).text())
        .endsWith("; no commit of it is kept");
  }

  @Test
  void foreignCommitWithUnknownRowsIsNamedWithItsEngine() {
    table.by(two).rows("10:05").commit();
    table.foreign(Map.of("added-records", "5", "engine-name", "spark"));
    table.by(two).rows("10:50").foreignUnknown().commit();

    Explanation explanation = held(Hold.Reason.FOREIGN_COMMIT);

    assertThat(explanation.responsible())
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.name()).isEqualTo("c2");
              assertThat(one.text()).endsWith("5 rows by spark");
            });
  }

  @Test
  void pendingBootstrapSaysHowItIsCompleted() {
    table.by(config("orders").bootstrapPending().build()).rows("10:05").commit();
    assertThat(held(Hold.Reason.BOOTSTRAP_PENDING).moves())
        .singleElement()
        .asString()
        .contains("tidemark complete-bootstrap lake.db.t");
  }

  @Test
  void rollbackThatRevokesNothingStillHolds() {
    table.by(two).rows("10:05").commit();
    table.by(two).rows("10:50").rolledBack().commit();
    Explanation explanation = held(Hold.Reason.ROLLED_BACK);
    assertThat(explanation.moves()).singleElement().asString().endsWith("tidemark reset lake.db.t");
    assertThat(explanation.since()).isEqualTo(since("c2", "11:01", false));
  }

  @Test
  void wrongClockIsShownWithBothTimes() {
    table.by(two).rows("10:05").commit();
    table.after(Duration.ofMinutes(-31)).by(two).rows("10:10").commit();
    assertThat(held(Hold.Reason.CLOCK).summary())
        .endsWith("commit c2 of 2026-01-01T10:30:00Z follows commit c1 of 2026-01-01T11:00:00Z.");
  }

  @Test
  void revokedTableSaysWhyAndWhatIsStillHeld() {
    table.by(two).rows("09:05").commit();
    table.by(two).rows("10:05").commit();
    Explanation explanation =
        Explainer.explain(
            "lake.db.t",
            table.finality(true, GranuleCounts.none()),
            table.newestFirst(),
            List.of("the table was rolled back"));
    assertThat(explanation.state()).isEqualTo(Explanation.State.REVOKED);
    assertThat(explanation.summary())
        .isEqualTo(
            "What was published is revoked: the table was rolled back. What the table holds reaches"
                + " to 2026-01-01T09:00:00Z.");
  }

  @Test
  void tableWithoutAnOpinionIsUnknown() {
    Explanation explanation =
        Explainer.explain("lake.db.t", TableFinality.unknown(), Stream.empty(), List.of());
    assertThat(explanation.state()).isEqualTo(Explanation.State.UNKNOWN);
    assertThat(ExplanationJson.of(explanation).path("state").asText()).isEqualTo("UNKNOWN");
  }

  @Test
  void onlyWriterThatIsLeftIsExplainedByItsOwnLastCommit() {
    table.by(two).rows("10:05").commit();
    table.by(two).rows("10:50").commit();
    table.by(two).rows("10:55").commit();
    table.by(config("returns").build()).commit();
    table.admin(opinion -> opinion.retire("returns"));

    Explanation explanation = explain();

    assertThat(explanation.summary())
        .isEqualTo("The table is as far as its only registered writer.");
    assertThat(explanation.responsible().get(0).text())
        .endsWith("its last commit c3 of 2026-01-01T11:02:00Z was held by INSIDE_GRANULE");
  }

  @Test
  void silenceOfTheWriterIsNoted() {
    for (int i = 0; i < 5; i++) {
      table.by(two).rows("10:1" + i).commit();
    }
    table.after(Duration.ofHours(3));
    assertThat(explain().notes())
        .containsExactly(
            "No commit for 3 h 1 min; they used to come every 1 min: see whether the writer still"
                + " runs.");
  }

  @Test
  void rowsOfOthersSinceTheLastCommitAreNoted() {
    table.by(two).rows("10:05").commit();
    table.by(two).rows("10:50").commit();
    GranuleCounts rows =
        GranuleCounts.of(new TreeMap<>(Map.of(EngineRun.at("09:00").toEpochMilli(), 3L)));
    assertThat(
            Explainer.explain(
                    "lake.db.t", table.finality(false, rows), table.newestFirst(), List.of())
                .notes())
        .containsExactly(
            "Commits of others since then brought up to 3 rows into 2026-01-01T09, which was"
                + " final.");
  }

  @Test
  void historyIsReadNoFurtherThanItMust() {
    for (int i = 0; i < 40; i++) {
      table.by(two).rows("09:" + (10 + i)).commit();
    }
    table.by(two).rows("10:05").commit();
    table.by(two).rows("10:06").commit();
    int[] read = new int[1];
    Explainer.explain(
        "lake.db.t", table.finality(), table.newestFirst().peek(c -> read[0]++), List.of());
    assertThat(read[0])
        .as("20 for the usual pace of commits, and one that is looked ahead")
        .isLessThanOrEqualTo(21);
  }

  @Test
  void jsonCarriesTheSameInMembers() {
    table.by(two).rows("10:05").commit();
    table.by(two).rows("10:50").commit();
    table.by(two).rows("08:10", "10:55").commit();

    JsonNode json = ExplanationJson.of(explain());

    assertThat(json.path("table").asText()).isEqualTo("lake.db.t");
    assertThat(json.path("hold").asText()).isEqualTo("LATE_DATA");
    assertThat(json.path("watermark").asText()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(json.path("policy").asText()).isEqualTo("min;2;PT0S;PT1H");
    assertThat(json.path("since").path("commit").asText()).isEqualTo("c3");
    assertThat(json.path("responsible").path(0).path("kind").asText()).isEqualTo("commit");
    assertThat(json.path("responsible").path(0).path("facts").path("statistic").asText())
        .isEqualTo("2026-01-01T08:10:00Z");
    assertThat(json.path("responsible").path(1).path("facts").path("rows").asLong()).isEqualTo(1);
    assertThat(json.path("moves")).hasSize(2);
  }

  private static FinalizationConfig promising() {
    return config("orders").policy(FinalizationPolicy.SOURCE_PROMISE).coverageExpected().build();
  }

  private static FinalizationConfig.Builder config(String writer) {
    return forWriter(writer).readFromBeginning();
  }

  private static Explanation.Since since(String commit, String time, boolean isOldestRead) {
    return new Explanation.Since(commit, EngineRun.at(time).toEpochMilli(), isOldestRead);
  }

  private Explanation held(Hold.Reason reason) {
    Explanation explanation = explain();
    Opinion opinion = Objects.requireNonNull(explanation.opinion());
    assertThat(explanation.state()).isEqualTo(Explanation.State.HELD);
    assertThat(opinion.hold()).isNotNull().extracting(Hold::reason).isEqualTo(reason);
    assertThat(explanation.moves()).isNotEmpty();
    return explanation;
  }

  private Explanation explain() {
    return Explainer.explain("lake.db.t", table.finality(), table.newestFirst(), List.of());
  }
}
