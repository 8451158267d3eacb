package dev.tidemark.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.testing.EngineRun;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private final FinalizationConfig config =
      FinalizationConfig.forWriter("orders").lookback(1, Duration.ZERO).readFromBeginning().build();
  private final EngineRun run = new EngineRun();

  /** One that moves the watermark to 11:00 at 11:01, then commits that keep it there. */
  private void stand(int commits) {
    run.by(config).rows("10:05", "10:50").commit();
    Instant moved = Instant.parse("2026-01-01T11:01:00Z");
    run.by(config).rows("11:05", "11:20").commit();
    assertThat(run.newestFirst().findFirst().orElseThrow().timestampMillis())
        .isEqualTo(moved.toEpochMilli());
    more(commits);
  }

  private void more(int commits) {
    for (int i = 0; i < commits; i++) {
      run.by(config).rows("11:05", "11:30").commit();
    }
  }

  private TableView view(@Nullable TableView before, Instant now) {
    TableFinality finality = run.finality();
    Timeline timeline = Timeline.read(run.newestFirst(), Timeline.watermark(finality), before, now);
    return new TableView("lake.db.orders", finality, List.of(), timeline, now);
  }

  private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");

  @Test
  void standsSinceTheCommitThatMovedItThoughFarMoreAreShown() {
    stand(Timeline.MOST + 40);
    Timeline timeline = view(null, NOW).timeline();
    assertThat(timeline.commits()).hasSize(Timeline.MOST);
    assertThat(timeline.watermarkSince()).isEqualTo("2026-01-01T11:01:00Z");
  }

  @Test
  void standsSinceThenHoweverManyCommitsFollow() {
    stand(10);
    TableView view = view(null, NOW);
    for (int i = 0; i < 4; i++) {
      more(300);
      view = view(view, NOW);
    }
    assertThat(view.timeline().commits()).hasSize(Timeline.MOST);
    assertThat(view.timeline().watermarkSince()).isEqualTo("2026-01-01T11:01:00Z");
    assertThat(view.commits().get(0).id())
        .isEqualTo(run.newestFirst().findFirst().orElseThrow().id());
  }

  @Test
  void standsSinceTheOldestThatIsKeptIfTheMoverIsNot() {
    stand(10);
    run.expireAllBut(5);
    assertThat(view(null, NOW).timeline().watermarkSince()).isEqualTo("2026-01-01T11:07:00Z");
  }

  @Test
  void movesWithTheCommitThatMovesIt() {
    stand(3);
    TableView before = view(null, NOW);
    run.after(Duration.ofHours(2)).by(config).rows("12:05", "12:30").commit();
    more(2);
    assertThat(view(before, NOW).timeline().watermarkSince()).isEqualTo("2026-01-01T13:05:00Z");
  }

  @Test
  void readsNoFurtherThanTheCommitsThatAreKnown() {
    stand(20);
    TableView before = view(null, NOW);
    more(2);
    int[] read = {0};
    Stream<RecentCommit> counted = run.newestFirst().peek(commit -> read[0]++);
    Timeline timeline = Timeline.read(counted, Timeline.watermark(run.finality()), before, NOW);
    assertThat(read[0]).isEqualTo(3);
    assertThat(timeline.commits()).hasSize(24);
  }

  @Test
  void nothingStandsWithoutAWatermark() {
    run.by(FinalizationConfig.forWriter("orders").lookback(9, Duration.ZERO).build())
        .rows("10:05")
        .commit();
    assertThat(view(null, NOW).timeline().watermarkSince()).isNull();
  }
}
