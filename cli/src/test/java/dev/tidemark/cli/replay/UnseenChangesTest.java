package dev.tidemark.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.eventtime.SetAside;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationEngine;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.finalization.watermark.Situation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Pinot keeps an administrator's word beside its commits: it shows with the next commit. */
class UnseenChangesTest {
  private final List<RecentCommit> commits = new ArrayList<>();
  private @Nullable Opinion truth;

  @Test
  void writerThatWasRetiredBetweenTwoCommits() {
    commit("a", "10:05");
    commit("b", "08:05");
    commit("a", "11:05");
    change(opinion -> opinion.retire("b"));
    commit("a", "12:05");

    assertReproduced(Instant.parse("2026-01-01T12:00:00Z"));
  }

  @Test
  void resetAndRegistrationBetweenTwoCommits() {
    commit("a", "10:05");
    change(Opinion::reset);
    change(opinion -> opinion.join(config("b")));
    commit("a", "12:05");
    commit("b", "11:05");

    assertReproduced(Instant.parse("2026-01-01T11:00:00Z"));
  }

  private void assertReproduced(Instant newest) {
    List<RecentCommit> newestFirst = new ArrayList<>(commits);
    Collections.reverse(newestFirst);
    StoredHistory history = StoredHistory.read(newestFirst.stream());
    assertThat(EngineReplay.run(history, Trial.AS_PUBLISHED).stream().map(Step::after))
        .isEqualTo(history.commits().stream().map(c -> c.after().watermarkMillis()).toList())
        .endsWith(newest.toEpochMilli());
  }

  private void change(UnaryOperator<Opinion> change) {
    Opinion current = truth;
    assertThat(current).isNotNull();
    truth = current == null ? null : change.apply(current);
  }

  private void commit(String writer, String time) {
    long at = Instant.parse("2026-01-01T" + time + ":00Z").toEpochMilli();
    EventTimeFacts facts =
        new EventTimeFacts(EventTimeSketch.of(at), SetAside.NONE, GranuleCounts.none());
    long now = Instant.parse("2026-01-02T00:00:00Z").toEpochMilli() + commits.size();
    Outcome outcome =
        new FinalizationEngine(config(writer))
            .decide(
                new Situation(
                    truth,
                    facts,
                    null,
                    new Situation.CommitClock(now, null),
                    Situation.Signals.NONE));
    Map<String, String> properties =
        new LinkedHashMap<>(FinalizationProperties.identity(writer, "commit" + commits.size()));
    properties.putAll(EventTimeProperties.write(facts));
    properties.putAll(FinalizationProperties.write(outcome));
    commits.add(new RecentCommit("carrier" + commits.size(), now, properties));
    truth = FinalizationProperties.readOpinion(properties).orElseThrow();
  }

  private static FinalizationConfig config(String writer) {
    return FinalizationConfig.forWriter(writer)
        .lookback(1, Duration.ZERO)
        .readFromBeginning()
        .build();
  }
}
