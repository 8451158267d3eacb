package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.insert;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.spark.testing.OrdersFixture;
import dev.tidemark.spark.testing.TestBase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** A comparison a day, as the commands make them, until the cutover may be. */
class CleanDaysCommandITCase extends OrdersFixture {
  private static final Instant FIRST = Instant.parse("2026-02-20T22:00:00Z");

  @Test
  void fourteenDaysInARowAreEnoughAndOneThatIsLeftOutBeginsAnew() {
    TestBase reference = TestBase.create(lake, "reference", 2, "merge-on-read");
    ledger.append(insert(1, 1, "state", "a", "amount", "1.00"));
    for (TestBase table : new TestBase[] {base, reference}) {
      CommandLine.run("merge", "--base", table.name(), "--ledgers", ledger.name());
    }
    for (int day = 1; day <= 13; day++) {
      compare(day, reference);
    }
    assertCleanDays(13, 13, 1);
    compare(14, reference);
    assertCleanDays(14, 14, 0);
    assertCleanDays(15, 14, 0);
    assertCleanDays(16, 0, 1);
    compare(16, reference);
    assertCleanDays(16, 1, 1);
  }

  private void compare(int day, TestBase reference) {
    CommandLine compared =
        CommandLine.run(
            on(day),
            "compare",
            "--base",
            base.name(),
            "--key",
            "id",
            "--reference",
            reference.name(),
            "--history",
            lake.table("history"));
    assertThat(compared.status()).as(compared.output()).isZero();
  }

  private void assertCleanDays(int day, int expected, int status) {
    CommandLine asked =
        CommandLine.run(
            on(day), "clean-days", "--base", base.name(), "--history", lake.table("history"));
    assertThat(asked.output())
        .as("asked on day %d", day)
        .isEqualTo(expected + " clean days in a row (expected: at least 14)\n");
    assertThat(asked.status()).as("asked on day %d", day).isEqualTo(status);
  }

  private static Clock on(int day) {
    return Clock.fixed(FIRST.plus(Duration.ofDays(day - 1)), ZoneOffset.UTC);
  }
}
