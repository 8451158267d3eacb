package dev.tidemark.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules and the dashboard in {@code docs} against what {@code /metrics} really says. */
class DashboardsITCase {
  private static final Pattern METRIC = Pattern.compile("\\btidemark_[a-z_]+\\b");
  private static final Pattern SAMPLE =
      Pattern.compile(
          "[a-z_]+(\\{[a-z]+=\"(?:[^\"\\\\]|\\\\.)*\"(,[a-z]+=\"(?:[^\"\\\\]|\\\\.)*\")*})? -?[0-9.E+-]+");

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Served served;

  @SuppressWarnings("NullAway.Init") // set before each test
  private String metrics;

  @BeforeEach
  void serve() {
    Table table = TestCatalog.hadoop(directory).create("events");
    EventWriter writer = EventWriter.start(table, "orders");
    writer.write("10:00", "12:30");
    writer.write("12:10", "12:50");
    writer.write("11:10", "11:20", "12:55");
    served = Served.of(directory, "lake.db.events").polled();
    metrics = served.client().get("/metrics").response().body();
  }

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void metricsSayWhatTheTableSays() {
    assertThat(metrics.lines())
        .contains(
            "tidemark_watermark_seconds{table=\"lake.db.events\"} 1767268800",
            "tidemark_late_rows{table=\"lake.db.events\"} 2",
            "tidemark_reopened_granules{table=\"lake.db.events\"} 1",
            "tidemark_hold{table=\"lake.db.events\",reason=\"LATE_DATA\"} 1",
            "tidemark_hold{table=\"lake.db.events\",reason=\"IDLE_SOURCE\"} 0",
            "tidemark_revoked{table=\"lake.db.events\"} 0",
            "tidemark_epoch{table=\"lake.db.events\"} 0",
            "tidemark_up{table=\"lake.db.events\"} 1",
            "tidemark_poll_failures_total{table=\"lake.db.events\"} 0");
  }

  @Test
  void metricsAreInPrometheusTextFormat() {
    assertThat(served.client().get("/metrics").header("Content-Type"))
        .isEqualTo("text/plain; version=0.0.4; charset=utf-8");
    assertThat(metrics).endsWith("\n");
    assertThat(metrics.lines().filter(line -> !line.startsWith("#")))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).matches(SAMPLE));
    Set<String> families =
        metrics
            .lines()
            .filter(line -> line.startsWith("# TYPE "))
            .map(line -> line.split(" ", -1)[2])
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(families).isEqualTo(exposed());
  }

  @Test
  void everyMetricOfTheRulesIsExposed() throws IOException {
    String rules = Files.readString(docs().resolve("prometheus-rules.yml"));
    List<String> expressions =
        rules.lines().filter(line -> line.strip().startsWith("expr:")).toList();
    assertThat(expressions).hasSizeGreaterThan(5);
    assertThat(exposed()).containsAll(named(String.join("\n", expressions)));
  }

  @Test
  void dashboardShowsExactlyTheExposedMetrics() throws IOException {
    JsonNode dashboard =
        new ObjectMapper().readTree(docs().resolve("grafana-dashboard.json").toFile());
    assertThat(dashboard.get("panels")).isNotEmpty();
    assertThat(named(dashboard.toString())).isEqualTo(exposed());
  }

  private static Path docs() {
    return Path.of("..", "docs");
  }

  private Set<String> exposed() {
    return metrics
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> Arrays.asList(line.split("[ {]", -1)).get(0))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> named(String text) {
    return METRIC
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
