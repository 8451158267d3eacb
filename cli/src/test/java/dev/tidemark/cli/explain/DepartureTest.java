package dev.tidemark.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.testing.Seeds;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is foretold of a window comes true, if later commits hold later events. */
class DepartureTest {
  private static final int WINDOWS = 2000;
  private static final long MINUTE = 60_000;

  @Test
  void leastStatisticLeavesWhenItIsForetold() {
    Random random = Seeds.random("DepartureTest");
    for (int i = 0; i < WINDOWS; i++) {
      PolicyText policy =
          new PolicyText(
              FinalizationPolicy.MIN,
              1 + random.nextInt(6),
              Duration.ofMinutes(random.nextInt(5)),
              Granularity.HOUR);
      long time = 0;
      CommitWindow window = CommitWindow.EMPTY;
      for (int commits = 1 + random.nextInt(9); commits > 0; commits--) {
        time += random.nextLong(2 * MINUTE);
        window = add(window, policy, time, random.nextInt(100));
      }
      check(window, policy, time, random);
    }
  }

  private static void check(CommitWindow window, PolicyText policy, long last, Random random) {
    Departure departure = Departure.of(window, policy);
    long least = window.minimum();
    long statistic = 1000;
    long time = last;
    Long first = null;
    for (long more = 1; ; more++) {
      time += random.nextLong(2 * MINUTE);
      first = first == null ? Long.valueOf(time) : first;
      window = add(window, policy, time, statistic++);
      Long notBefore = departure.notBeforeMillis();
      long begins = notBefore == null ? first + policy.lookbackSpan().toMillis() : notBefore;
      boolean foretold = more >= departure.commits() && time >= begins;
      assertThat(window.minimum() > least)
          .as("%s, %s more commits of %s", departure, more, policy)
          .isEqualTo(foretold);
      if (foretold) {
        return;
      }
    }
  }

  private static CommitWindow add(
      CommitWindow window, PolicyText policy, long time, long statistic) {
    return window.add(time, statistic, policy.lookbackCommits(), policy.lookbackSpan());
  }
}
