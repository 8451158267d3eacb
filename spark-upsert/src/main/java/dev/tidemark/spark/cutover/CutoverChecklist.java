package dev.tidemark.spark.cutover;

import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.spark.shadow.ShadowHistory;
import dev.tidemark.spark.source.BinlogRetention;
import dev.tidemark.spark.source.MariaDbBinlog;
import dev.tidemark.spark.source.SourceDatabase;
import dev.tidemark.spark.table.MergeState;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Snapshot;
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
    Table table = SparkTables.load(spark, base);
    MergeState state = MergeState.of(table);
    for (var ledger : state.ledgers().entrySet()) {
      boolean isWhole =
          ledger.getValue().bootstrapped() || isDeclared("ledgers.from-creation", ledger.getKey());
      if (!isWhole || ledger.getValue().snapshotId() == null) {
        return Check.fail(
            name,
            ledger.getKey()
                + (isWhole
                    ? ": the dump is in, and no merge came after it; run merge"
                    : ": no dump was loaded; run bootstrap, or name it in ledgers.from-creation if it holds its source table from the first row on"));
      }
    }
    if (state.ledgers().isEmpty()) {
      return Check.fail(name, "nothing was loaded or merged");
    }
    Instant loaded = firstKept(table);
    return history != null && history.isVerified(base.toString(), loaded)
        ? Check.pass(name, "loaded, merged, and since %s compared row by row".formatted(loaded))
        : Check.unknown(
            name,
            "loaded and merged; its position is not verified: run compare --history with another side, after %s, without a cut or with one that leaves no key out"
                .formatted(loaded));
  }

  /** When the dump was loaded; where that snapshot has expired, the oldest that is kept. */
  private static Instant firstKept(Table table) {
    long first =
        IcebergHistory.of(table, SnapshotRef.MAIN_BRANCH)
            .snapshots()
            .mapToLong(Snapshot::timestampMillis)
            .min()
            .orElse(0);
    return Instant.ofEpochMilli(first);
  }

  private Check finality() {
    Table table = SparkTables.load(spark, base);
    TableTruth truth = TableTruth.read(table, SnapshotRef.MAIN_BRANCH);
    Opinion opinion = truth.opinion();
    if (opinion == null || opinion.watermarkMillis() == null) {
      return Check.fail(
          "watermark", "the base table has none: readers cannot know what is complete");
    }
    if (truth.isRevoked()) {
      return Check.fail(
          "watermark", "revoked: the base table was rolled back behind what it had published");
    }
    return Check.of(
        "watermark",
        opinion.watermark().fromMillis() != null,
        opinion.watermark().fromMillis() != null
            ? opinion.watermark().toString()
            : opinion.watermark() + ": a ledger has none yet, so nothing is known to be complete");
  }

  private boolean isDeclared(String key, String name) {
    String names = facts.get(key);
    return names != null && List.of(names.split("\\s*,\\s*")).contains(name);
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
    SchemaRegistry registry = new SchemaRegistry(new HttpQuestions(), url);
    for (String subject : subjects.split(",")) {
      Check check = registry.check("schemas registered", subject.strip());
      if (check.verdict() != Check.Verdict.PASS) {
        return check;
      }
    }
    return Check.pass("schemas registered", subjects);
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
      String dir = FlinkConfiguration.checkpointDirectory(Files.readString(Path.of(file)));
      return dir == null
          ? Check.fail(name, file + " sets no execution.checkpointing.dir")
          : Check.pass(name, file);
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
    return document.startsWith("http")
        ? new HttpQuestions().isThere(name, document)
        : Check.of(name, Files.isReadable(Path.of(document)), document);
  }

  /** An address of an alert may be a secret of its own, so it is not repeated. */
  private Check told(String name, String key) {
    return facts.get(key) == null ? untold(name, key) : Check.pass(name, key + " is set");
  }

  private static Check untold(String name, String key) {
    return Check.unknown(name, "not told: set " + key);
  }
}
