package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.cli.testing.Cli;
import dev.tidemark.cli.testing.FlightTable;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestCatalog;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replay and tune as a user starts them, on a real table that some hours of flights have made. */
class ReplayCommandTest {
  private static final int COMMITS = 110;

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  static Path directory;

  @BeforeAll
  static void write() {
    TestCatalog catalog = TestCatalog.hadoop(directory);
    FlightTable.write(catalog, "flights", COMMITS);
    catalog.create("plain");
    EventWriter.start(catalog.create("registered"), "orders");
  }

  @Test
  void ownPolicyIsWhatWasPublished() throws IOException {
    JsonNode json = json(0, "replay", "lake.db.flights", "--json");
    assertThat(json.at("/ownPolicyCheck/commits").asInt()).isEqualTo(COMMITS + 1);
    assertThat(json.at("/ownPolicyCheck/different").asInt()).isZero();
    assertThat(json.at("/fresherSeconds").asDouble()).isZero();
    assertThat(json.at("/replayed")).isEqualTo(json.at("/published"));
  }

  @Test
  void anotherPolicyIsSetBesideWhatWasPublished() throws IOException {
    String[] command = {"replay", "lake.db.flights", "--policy", "quantile: 0.05", "--lookback=3"};
    Cli run = Cli.run(directory, command);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("quantile:0.05 over 3 commits, granule PT1H")
        .containsPattern("quantile:0.05 would have been \\d+ min fresher, with \\d+\\.\\d+ % late");
    assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(81));
    JsonNode json =
        json(0, "replay", "lake.db.flights", "--policy=quantile:0.05", "--lookback=3", "--json");
    assertThat(json.at("/fresherSeconds").asDouble()).isPositive();
    assertThat(json.at("/replayed/lateRows").asLong())
        .isGreaterThan(json.at("/published/lateRows").asLong())
        .isBetween(
            json.at("/replayed/lateRowsAtLeast").asLong(),
            json.at("/replayed/lateRowsAtMost").asLong());
    assertThat(json.at("/published/lateRowsAtLeast"))
        .isEqualTo(json.at("/published/lateRowsAtMost"));
  }

  @Test
  void windowThatNeverFillsCannotBeMeasured() {
    Cli run = Cli.run(directory, "replay", "lake.db.flights", "--policy=min", "--lookback=6,PT30M");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("There is no commit at which both had a watermark");
  }

  @Test
  void tuneFindsWhatMeetsTheBudget() throws IOException {
    Cli run = Cli.run(directory, "tune", "lake.db.flights", "--max-late=5%", "--behind=events");
    assertThat(run.out()).contains("FOUND: ");
    assertThat(run.status()).isZero();
    assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(81));
    JsonNode json =
        json(0, "tune", "lake.db.flights", "--max-late=5%", "--behind=events", "--json");
    assertThat(json.at("/verdict").asText()).isEqualTo("FOUND");
    assertThat(run.out()).contains("FOUND: " + json.at("/policy").asText().split(";")[0]);
    assertThat(json.at("/candidates").size()).isGreaterThan(20);
  }

  @Test
  void fromMeasuresOnlyWhatComesAfter() throws IOException {
    JsonNode commits = json(0, "history", "lake.db.flights", "--limit", "1000", "--json");
    String from = commits.path("commits").path(COMMITS - 60).path("time").asText();

    JsonNode whole = json(0, "replay", "lake.db.flights", "--json");
    JsonNode part = json(0, "replay", "lake.db.flights", "--from", from, "--json");
    assertThat(part.at("/published/commits").asInt())
        .isPositive()
        .isLessThan(whole.at("/published/commits").asInt());
    assertThat(part.at("/ownPolicyCheck")).isEqualTo(whole.at("/ownPolicyCheck"));

    String[] tune = {"tune", "lake.db.flights", "--max-late=5%", "--behind=events", "--from", from};
    Cli run = Cli.run(directory, tune);
    assertThat(run.status()).as(run.out()).isLessThan(2);
    assertThat(run.out()).contains("earlier half from " + from.replaceFirst("(\\.\\d+)?Z", ""));
  }

  @Test
  void tuneSaysThatNoneMeetsTheBudget() {
    Cli run =
        Cli.run(
            directory,
            "tune",
            "lake.db.flights",
            "--max-late=1%",
            "--max-lag=1m",
            "--behind=events");
    assertThat(run.out()).contains("NONE MEETS the budget");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void tuneSaysThatTheHistoryIsTooShort() {
    Cli rows = Cli.run(directory, "tune", "lake.db.flights", "--max-late", "0.01%");
    assertThat(rows.out()).contains("TOO SHORT to tell").contains("30,000 are needed");
    assertThat(rows.status()).isEqualTo(1);
  }

  @Test
  void budgetThatNoHistoryCanShowIsRefused() {
    Cli run = Cli.run(directory, "tune", "lake.db.flights", "--max-late", "0");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("only the policy source-promise is proof");
  }

  @Test
  void promiseWithoutCoverageIsRefused() {
    Cli run = Cli.run(directory, "replay", "lake.db.flights", "--policy", "source-promise");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("Cannot replay source-promise");
  }

  @Test
  void tableWithoutFactsHasNothingToReplay() {
    for (String table : new String[] {"lake.db.plain", "lake.db.registered"}) {
      assertThat(Cli.run(directory, "replay", table).status()).isEqualTo(4);
      assertThat(Cli.run(directory, "tune", table, "--max-late=1%").status()).isEqualTo(4);
    }
  }

  private static JsonNode json(int status, String... arguments) throws IOException {
    Cli run = Cli.run(directory, arguments);
    assertThat(run.status()).as(run.err()).isEqualTo(status);
    return new ObjectMapper().readTree(run.out());
  }
}
