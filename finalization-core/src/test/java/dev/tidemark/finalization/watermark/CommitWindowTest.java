package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against a model that keeps every commit. */
class CommitWindowTest {
  private static final long START = 1_767_265_200_000L;

  /** All commits ever; the window is the shortest newest part that is as much as is asked. */
  private static final class Model {
    private final List<long[]> commits = new ArrayList<>();
    private final int lookback;
    private final Duration span;

    Model(int lookback, Duration span) {
      this.lookback = lookback;
      this.span = span;
    }

    void add(long time, long statistic) {
      commits.add(new long[] {time, statistic});
    }

    boolean isWarm() {
      return commits.size() >= lookback
          && commits.get(commits.size() - 1)[0] - commits.get(0)[0] >= span.toMillis();
    }

    long minimum() {
      long newest = commits.get(commits.size() - 1)[0];
      long minimum = Long.MAX_VALUE;
      for (int back = 0; back < commits.size(); back++) {
        long[] commit = commits.get(commits.size() - 1 - back);
        minimum = Math.min(minimum, commit[1]);
        if (back + 1 >= lookback && newest - commit[0] >= span.toMillis()) {
          break;
        }
      }
      return minimum;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, PT0S",
    "3, PT0S",
    "6, PT0S",
    "6, PT30M",
    "1, PT30M",
    "3, PT2H",
    "12, PT10M",
    "24, PT0S",
    "100, PT0S",
    "24, PT6H"
  })
  void agreesWithAModelThatKeepsEveryCommit(int lookback, String spanText) {
    Duration span = Duration.parse(spanText);
    Random random = Seeds.random("CommitWindow " + lookback + " " + spanText);
    int exact = 0;
    for (int history = 0; history < 40; history++) {
      Model model = new Model(lookback, span);
      CommitWindow window = CommitWindow.EMPTY;
      boolean merged = false;
      int lag = 1 + random.nextInt(1_000_000);
      long time = START;
      for (int commit = 1; commit <= 250; commit++) {
        time += random.nextInt(10) == 0 ? 0 : random.nextInt(600_000);
        long statistic = time - random.nextInt(lag) * (random.nextInt(20) == 0 ? 20L : 1L);
        // What one run more would be merged away.
        merged |= window.runs().size() == CommitWindow.MAX_RUNS;
        window = window.add(time, statistic, lookback, span);
        model.add(time, statistic);

        assertThat(window.runs().size()).isLessThanOrEqualTo(CommitWindow.MAX_RUNS);
        assertThat(window.total()).isEqualTo(commit);
        assertThat(window.newestMillis()).isEqualTo(time);
        assertThat(window.isWarm(lookback, span)).isEqualTo(model.isWarm());
        if (merged) {
          assertThat(window.minimum()).isLessThanOrEqualTo(model.minimum());
        } else {
          assertThat(window.minimum()).isEqualTo(model.minimum());
          exact++;
        }
        assertThat(copy(window)).isEqualTo(window);
      }
    }
    assertThat(exact).as("commits whose minimum was exact").isPositive();
  }

  @Test
  void recoversTheExactMinimumOnceMergedRunsHaveLeft() {
    CommitWindow window = CommitWindow.EMPTY;
    for (int commit = 0; commit < 40; commit++) {
      window = window.add(START + commit, commit, 24, Duration.ZERO);
    }
    assertThat(window.runs()).hasSize(CommitWindow.MAX_RUNS);
    assertThat(window.minimum()).isLessThanOrEqualTo(16);

    window = window.add(START + 40, 5, 24, Duration.ZERO);

    assertThat(window.minimum()).isLessThanOrEqualTo(5);
    for (int commit = 41; commit < 70; commit++) {
      window = window.add(START + commit, 1_000, 24, Duration.ZERO);
    }
    assertThat(window.minimum()).isEqualTo(1_000);
  }

  /** A steady stream: every commit is later than the one before it, more of them than runs. */
  @ParameterizedTest
  @CsvSource({
    "17, PT0S, 16", "24, PT0S, 16", "100, PT0S, 16", "1000, PT0S, 16", "6, PT30M, 16",
    "6, PT6H, 16", "24, PT0S, 8", "24, PT0S, 4", "24, PT0S, 2", "6, PT30M, 2"
  })
  void ascendingCommitsNeverStallIt(int lookback, String spanText, int runs) {
    Duration span = Duration.parse(spanText);
    int needed = (int) Math.max(lookback, span.toMinutes() + 1);
    CommitWindow window = CommitWindow.EMPTY;
    for (int commit = 0; commit < 5 * needed; commit++) {
      window = window.add(START + commit * 60_000L, commit, lookback, span).limitedTo(runs);

      assertThat(window.runs().size()).isLessThanOrEqualTo(runs);
      assertThat(window.minimum())
          .isBetween(commit - 2L * needed, Math.max(0L, commit - needed + 1L));
      if (runs == CommitWindow.MAX_RUNS) {
        assertThat(window.minimum()).isGreaterThan(commit - needed - needed / 3 - 2L);
      }
    }
  }

  @Test
  void fewerRunsNeverRaiseTheMinimum() {
    Random random = Seeds.random("CommitWindow limited");
    CommitWindow window = CommitWindow.EMPTY;
    for (int commit = 0; commit < 300; commit++) {
      long statistic = commit * 10L - random.nextInt(80);
      window = window.add(START + commit, statistic, 20, Duration.ZERO);
      for (int runs = 1; runs <= CommitWindow.MAX_RUNS; runs++) {
        CommitWindow limited = window.limitedTo(runs);
        assertThat(limited.runs().size()).isLessThanOrEqualTo(runs);
        assertThat(limited.minimum()).isEqualTo(window.minimum());
        assertThat(limited.commits()).isEqualTo(window.commits());
        assertThat(limited.startMillis()).isEqualTo(window.startMillis());
        assertThat(limited.add(START + commit, 9_999, 20, Duration.ZERO).minimum())
            .isLessThanOrEqualTo(window.add(START + commit, 9_999, 20, Duration.ZERO).minimum());
      }
    }
  }

  @Test
  void isColdWhileItIsEmpty() {
    assertThat(CommitWindow.EMPTY.isWarm(1, Duration.ZERO)).isFalse();
    assertThat(CommitWindow.EMPTY.commits()).isZero();
    assertThat(copy(CommitWindow.EMPTY)).isEqualTo(CommitWindow.EMPTY);
  }

  @Test
  void aLongerLookbackThanBeforeWarmsUpAgain() {
    CommitWindow window = CommitWindow.EMPTY;
    for (int commit = 0; commit < 10; commit++) {
      window = window.add(START + commit * 60_000L, commit, 2, Duration.ZERO);
    }

    assertThat(window.isWarm(2, Duration.ZERO)).isTrue();
    assertThat(window.isWarm(6, Duration.ZERO)).isFalse();
    assertThat(window.isWarm(2, Duration.ofMinutes(5))).isFalse();
  }

  private static CommitWindow copy(CommitWindow window) {
    ByteWriter out = new ByteWriter();
    window.writeTo(out);
    ByteReader in = new ByteReader("window", out.toByteArray());
    CommitWindow read = CommitWindow.readFrom(in);
    in.expectEnd();
    return read;
  }
}
