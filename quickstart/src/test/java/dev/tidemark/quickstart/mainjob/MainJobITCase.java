package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.flights.FlightChanges;
import dev.tidemark.quickstart.flights.FlightFile;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The main job as the README has it, faster. */
class MainJobITCase {
  private final Queue<String> output = new ConcurrentLinkedQueue<>();

  @Test
  void ledgerAndBaseTableHoldWhatMariaDbHoldsAndMergesFollowTheStream() throws Exception {
    MainJob.Result result = new MainJob(Duration.ofSeconds(12), output::add).run();

    assertThat(result.check().rows().differences()).isEmpty();
    assertThat(result.check().rows().rows()).isGreaterThan(33_000);
    assertThat(result.baseRows().differences()).isEmpty();
    assertThat(result.agrees()).isTrue();
    assertThat(Objects.requireNonNull(result.baseFinality().opinion()).watermarkMillis())
        .isNotNull();
    assertThat(result.stream().newIds()).hasSize(5);
    assertThat(result.stream().changes())
        .isEqualTo(FlightChanges.of(FlightFile.read()).size() + 2 * 5);
    assertThat((long) result.check().changes()).isEqualTo(result.stream().changes());
    assertThat(result.hoursFinal()).isPositive();
    // However few commits there are: none holds more than the replay may be ahead.
    assertThat(result.lines())
        .anyMatch(line -> line.matches("late +[1-9]\\d* rows in [1-9]\\d* hours .*"));
    mergesFollowTheLedger(result.merges(), result.stream().changes());
  }

  private void mergesFollowTheLedger(List<BaseMerge> merges, long changes) {
    BaseMerge first = merges.get(0);
    assertThat(first.filledIt()).isTrue();
    assertThat(first.before().rows()).isZero();
    assertThat(first.after().merged().rows()).isPositive().isLessThan(changes);

    assertThat(merges).allMatch(BaseMerge::carriesWhatItRead);
    List<BaseMerge> ranges = merges.stream().filter(BaseMerge::mergedARange).toList();
    assertThat(ranges)
        .isNotEmpty()
        .allSatisfy(
            merge -> assertThat(merge.moved().orElseThrow().exchanges()).as("exchanges").isZero())
        .anyMatch(merge -> "overwrite".equals(merge.after().operation()));
    assertThat(output)
        .anyMatch(
            line ->
                line.matches(
                    ".*MERGE \\d+: [\\d,]+ changes since the last one merged into [1-9][\\d,]* rows with 0 exchanges; watermark of the base table .*"));
    assertThat(merges.stream().skip(1).filter(merge -> merge.moved().isPresent()))
        .as("merges after the first")
        .hasSameElementsAs(ranges);

    BaseMerge last = merges.get(merges.size() - 1);
    assertThat(last.changedNothing()).isTrue();
    assertThat(last.after().merged().rows()).isEqualTo(changes);
    assertThat(last.after().watermarkMillis()).isEqualTo(last.ledger().watermarkMillis());
    assertThat(last.said()).anyMatch(line -> line.contains("nothing new"));
    assertThat(output).anyMatch(line -> line.contains(": nothing new, no metadata version;"));
  }
}
