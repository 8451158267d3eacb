package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.testing.TestingClock;
import dev.tidemark.pinot.segment.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SubmissionTest {
  private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

  @Test
  void aRunBeginsWithItsSubmission() {
    Submission submission = new Submission(new Run("r", START, 0), START);
    assertThat(submission.resumed(null, OptionalLong.empty())).isEqualTo(new Run("r", START, 0));
  }

  @Test
  void aFailoverRaisesTheEpochByOne() {
    Submission submission = new Submission(new Run("r", START, 0), START);
    Run kept = new Run("r", START, 0);
    Run once = submission.resumed(kept, OptionalLong.of(7));
    assertThat(once).isEqualTo(new Run("r", START, 1, 7L));
    assertThat(submission.resumed(Submission.afterCommit(once), OptionalLong.of(9)))
        .isEqualTo(new Run("r", START, 2, 9L));
  }

  @Test
  void aFailoverBeforeTheFirstCommitKeepsTheRestorePoint() {
    Submission submission = new Submission(new Run("r", START, 0), START);
    Run rewound = submission.resumed(new Run("r", START, 0), OptionalLong.of(7));
    assertThat(submission.resumed(rewound, OptionalLong.of(30)).restoredCheckpoint()).isEqualTo(7);
    assertThat(submission.resumed(rewound, OptionalLong.empty()).restoredCheckpoint()).isEqualTo(7);
  }

  @Test
  void epochsDifferHoweverLongAgoTheRunSaysItBegan() {
    for (long start : new long[] {5, START - Duration.ofDays(20 * 365).toMillis(), START}) {
      Run kept = new Run("r", start, 0);
      long last = kept.restoreEpoch();
      for (int year = 0; year < 12; year++) {
        Run first = later(Duration.ofDays(1 + year * 365L)).resumed(kept, OptionalLong.of(7));
        Run second =
            later(Duration.ofDays(1 + year * 365L).plusSeconds(1))
                .resumed(kept, OptionalLong.of(7));
        assertThat(first.restoreEpoch()).isGreaterThan((int) last);
        assertThat(second.restoreEpoch())
            .isGreaterThan(first.restoreEpoch())
            .isLessThanOrEqualTo(999_999_999);
        last = second.restoreEpoch();
      }
    }
  }

  @Test
  void twoRewindsToOneSavepointDiffer() {
    Run kept = new Run("r", START, 0);
    Run first = later(Duration.ofMinutes(10)).resumed(kept, OptionalLong.of(7));
    Run second = later(Duration.ofMinutes(11)).resumed(kept, OptionalLong.of(7));
    assertThat(first.restoreEpoch()).isPositive().isLessThan(second.restoreEpoch());
    assertThat(first.id()).isEqualTo("r");
    assertThat(first.startMillis()).isEqualTo(START);
  }

  @Test
  void aClockThatWentBackStillRaisesTheEpoch() {
    Run kept = new Run("r", START, 41);
    assertThat(later(Duration.ofHours(-1)).resumed(kept, OptionalLong.of(7)).restoreEpoch())
        .isEqualTo(42);
  }

  @Test
  void attemptsWithoutStateDifferWhereNamesMustNotComeAgain() {
    Submission submission = new Submission(new Run("r", START, 0), START);
    OptionalLong nothing = OptionalLong.empty();
    assertThat(submission.resumed(null, nothing).restoreEpoch()).isZero();
    assertThat(submission.resumedUnlikeEarlierAttempts(null, nothing, 2).restoreEpoch())
        .isEqualTo(2);
  }

  @Test
  void aRunOfItsOwnNameKeepsIt() {
    TestingClock clock = new TestingClock(Instant.ofEpochMilli(START));
    assertThat(Submission.now(clock, "march", null).run()).isEqualTo(new Run("march", START, 0));
    assertThat(Submission.now(clock, null, 5L).run().startMillis()).isEqualTo(5);
    assertThat(Submission.now(clock, null, null).run().id())
        .isNotEqualTo(Submission.now(clock, null, null).run().id());
  }

  private static Submission later(Duration after) {
    return new Submission(new Run("other", START, 0), START + after.toMillis());
  }
}
