package dev.tidemark.spark.cutover;

import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.spark.shadow.ShadowHistory;
import dev.tidemark.spark.source.BinlogRetention;
import dev.tidemark.spark.source.MariaDbBinlog;
import dev.tidemark.spark.source.SourceDatabase;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * What must be true before readers move to a base table. What nobody told is {@code UNKNOWN}, and
 * says what to tell; nothing is taken for granted.
 */
public final class CutoverChecklist {
  private static final int WANTED_DAYS = 14;
  private static final Duration BINLOG = Duration.ofDays(7);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SparkSession spark;
  private final TableName base;
  private final CutoverFacts facts;
  private final Clock clock;

  /** A checklist of a base table; nothing is asked yet. */
  public CutoverChecklist(SparkSession spark, TableName base, CutoverFacts facts, Clock clock) {
    this.spark = spark;
    this.base = base;
    this.facts = facts;
    this.clock = clock;
  }

  /**
   * Asks everything.
   *
   * @param history of comparisons; null if there is none
   */
  public List<Check> run(@Nullable ShadowHistory history) {
    List<Check> checks = new ArrayList<>();
    checks.add(bootstrap(history));
    checks.add(finality());
    checks.add(cleanDays(history));
    checks.add(schemas());
    checks.add(binlogRetention());
    checks.add(checkpoints());
    checks.add(told("alert on Kafka lag", "alerts.kafka-lag"));
    checks.add(told("alert on checkpoints", "alerts.failed-checkpoints"));
    checks.add(rollback());
    return checks;
  }

  private Check bootstrap(@Nullable ShadowHistory history) {
    String name = "bootstrap";
    MergeState state = MergeState.of(SparkTables.load(spark, base));
    for (var ledger : state.ledgers().entrySet()) {
      if (!ledger.getValue().bootstrapped() || ledger.getValue().snapshotId() == null) {
        return Check.fail(
            name,
            ledger.getKey()
                + (ledger.getValue().bootstrapped()
                    ? ": the dump is in, and no merge came after it; run merge"
                    : ": no dump was loaded; run bootstrap, or declare that the ledger begins with the table"));
      }
    }
    if (state.ledgers().isEmpty()) {
      return Check.fail(name, "nothing was loaded or merged");
    }
    return history != null && history.cleanDays(base.toString(), clock.instant()) > 0
        ? Check.pass(name, "loaded, merged, and the last comparison of every row was clean")
        : Check.unknown(
            name, "loaded and merged; its position is not verified: run compare --history");
  }

  private Check finality() {
    Table table = SparkTables.load(spark, base);
    Opinion opinion = TableTruth.read(table, SnapshotRef.MAIN_BRANCH).opinion();
    return opinion == null || opinion.watermarkMillis() == null
        ? Check.fail("watermark", "the base table has none: readers cannot know what is complete")
        : Check.pass("watermark", opinion.watermark().toString());
  }

  private Check cleanDays(@Nullable ShadowHistory history) {
    if (history == null) {
      return Check.unknown("clean days", "no history of comparisons was named");
    }
    int days = history.cleanDays(base.toString(), clock.instant());
    return Check.of(
        "clean days", days >= WANTED_DAYS, days + " in a row (expected: " + WANTED_DAYS + ")");
  }

  private Check schemas() {
    String url = facts.get("schema-registry.url");
    String subjects = facts.get("schema-registry.subjects");
    if (url == null || subjects == null) {
      return untold("schemas registered", "schema-registry.url and schema-registry.subjects");
    }
    Client client = new Client();
    try {
      for (String subject : subjects.split(",")) {
        int status = client.status(url + "/subjects/" + subject.strip() + "/versions/latest");
        if (status != 200) {
          return Check.fail("schemas registered", subject.strip() + ": status " + status);
        }
        String level = client.body(url + "/config/" + subject.strip() + "?defaultToGlobal=true");
        if (level.contains("\"NONE\"")) {
          return Check.fail("schemas registered", subject.strip() + ": compatibility is NONE");
        }
      }
      return Check.pass("schemas registered", subjects);
    } catch (IOException | IllegalArgumentException e) {
      return Check.unknown("schemas registered", "cannot ask " + url + ": " + e.getMessage());
    }
  }

  private Check binlogRetention() {
    String name = "binlog retention";
    String url = facts.get("source.url");
    if (url == null) {
      return untold(name, "source.url");
    }
    try (Connection connection =
        SourceDatabase.of(url, facts.get("source.user"), facts.get("source.password-env"))
            .connect()) {
      return binlogRetention(name, new MariaDbBinlog(connection).retention());
    } catch (SQLException | IllegalArgumentException e) {
      return Check.unknown(name, "cannot ask the source: " + e.getMessage());
    }
  }

  private static Check binlogRetention(String name, BinlogRetention retention) {
    String why = retention + " (expected: at least " + BINLOG.toDays() + " days)";
    return retention.isAtLeast(BINLOG) && retention.bytes() != null
        ? Check.unknown(name, why + "; nobody can tell how long that many bytes last")
        : Check.of(name, retention.isAtLeast(BINLOG), why);
  }

  private Check checkpoints() {
    String name = "checkpoint storage";
    String file = facts.get("flink.conf");
    if (file == null) {
      return untold(name, "flink.conf");
    }
    try {
      String text = Files.readString(Path.of(file));
      boolean isSet =
          text.lines()
              .map(String::strip)
              .filter(line -> !line.startsWith("#"))
              .anyMatch(
                  line ->
                      line.matches(
                          "(execution\\.checkpointing\\.dir|state\\.checkpoints\\.dir)\\s*:\\s*\\S+.*"));
      return Check.of(name, isSet, isSet ? file : file + " sets no execution.checkpointing.dir");
    } catch (IOException e) {
      return Check.unknown(name, "cannot read " + file + ": " + e.getMessage());
    }
  }

  private Check rollback() {
    String name = "rollback documented";
    String document = facts.get("rollback.document");
    if (document == null) {
      return untold(name, "rollback.document");
    }
    boolean isUrl = document.startsWith("http");
    return Check.of(
        name,
        isUrl || Files.isReadable(Path.of(document)),
        isUrl ? document + " (not read)" : document);
  }

  private Check told(String name, String key) {
    String value = facts.get(key);
    return value == null ? untold(name, key) : Check.pass(name, value);
  }

  private static Check untold(String name, String key) {
    return Check.unknown(name, "not told: set " + key);
  }

  /** HTTP with a limit on waiting. */
  private static final class Client {
    private final HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    int status(String url) throws IOException {
      return get(url).statusCode();
    }

    String body(String url) throws IOException {
      return get(url).body();
    }

    private HttpResponse<String> get(String url) throws IOException {
      try {
        return http.send(
            HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build(),
            HttpResponse.BodyHandlers.ofString());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }
}
