package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CommitCadenceTest {
  @Test
  void everyThirdCheckpointIsACommit() {
    CommitCadence cadence = new CommitCadence(3);
    assertThat(LongStream.range(0, 9).filter(cadence::commitsAfter)).containsExactly(2L, 5L, 8L);
  }

  @Test
  void anIntervalBecomesAWholeNumberOfCheckpoints() {
    assertThat(every(Duration.ofMinutes(5), Duration.ofSeconds(10))).isEqualTo(30);
    assertThat(every(Duration.ofMinutes(5), Duration.ofMinutes(2))).isEqualTo(3);
    assertThat(every(Duration.ofSeconds(1), Duration.ofMinutes(1))).isEqualTo(1);
    assertThat(every(Duration.ofSeconds(1), Duration.ZERO)).isEqualTo(1);
  }

  @Test
  void lessThanOneIsRefused() {
    assertThatThrownBy(() -> new CommitCadence(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Invalid cadence: every 0 checkpoints (expected: at least 1)");
  }

  private static int every(Duration commits, Duration checkpoints) {
    return CommitCadence.of(commits, checkpoints).everyCheckpoints();
  }
}
