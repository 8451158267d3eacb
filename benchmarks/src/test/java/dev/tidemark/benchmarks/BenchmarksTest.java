package dev.tidemark.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every registered benchmark must have; none is run here. */
class BenchmarksTest {

  @Test
  void everyBenchmarkHasANameASummaryAndATarget() {
    assertThat(Benchmarks.all()).isNotEmpty();
    Benchmarks.all()
        .forEach(
            (name, benchmark) -> {
              assertThat(name).matches("[a-z]+(-[a-z]+)*");
              assertThat(benchmark.summary()).as(name).isNotBlank().doesNotContain("\n");
              assertThat(benchmark.target().limit()).as(name).isPositive();
              assertThat(benchmark.target().unit()).as(name).isNotBlank();
            });
  }

  @Test
  void everyBenchmarkHasARowWithItsTargetInTheReadme() throws Exception {
    List<String> rows = Files.readAllLines(Path.of("README.md"));
    Benchmarks.all()
        .forEach(
            (name, benchmark) ->
                assertThat(rows)
                    .as(name)
                    .anyMatch(
                        row ->
                            row.startsWith("| `" + name + "` |")
                                && row.contains(
                                    benchmark.target() + " " + benchmark.target().unit())));
  }

  @Test
  void anUnknownNameListsTheBenchmarksAndExitsWithTwo() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int status =
        Benchmarks.run(List.of("unheard-of"), new PrintStream(bytes, true, StandardCharsets.UTF_8));
    assertThat(status).isEqualTo(2);
    assertThat(bytes.toString(StandardCharsets.UTF_8)).contains(Benchmarks.all().keySet());
  }

  @Test
  void theVerdictNamesFigureUnitAndTarget() {
    Target target = Target.atMost(25, "ns/record");
    assertThat(target.verdict("accumulator", 14.23))
        .isEqualTo("accumulator: 14.2 ns/record (target <= 25)");
    assertThat(target.isMetBy(25)).isTrue();
    assertThat(target.isMetBy(25.01)).isFalse();
  }

  @Test
  void aLowerLimitIsKeptFromAbove() {
    Target target = Target.atLeast(0.98, "of the stock sink");
    assertThat(target.verdict("overhead", 0.9764))
        .isEqualTo("overhead: 0.976 of the stock sink (target >= 0.98)");
    assertThat(target.isMetBy(0.98)).isTrue();
    assertThat(target.isMetBy(0.979)).isFalse();
  }

  @Test
  void whatElseWasMissedMissesTheTarget() {
    Target target = Target.atMost(10, "ms/commit");
    assertThat(Figure.of(3).meets(target)).isTrue();
    assertThat(new Figure(3, List.of("it grows")).meets(target)).isFalse();
  }

  @Test
  void theSpreadOrdersWhatWasMeasured() {
    Spread spread = Spread.of(5, 1, 4, 2, 3);
    assertThat(spread).isEqualTo(new Spread(5, 1, 2, 3, 4, 5));
  }
}
