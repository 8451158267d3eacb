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
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
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

  /** A watermark that is older says that merges, or the ledger's job, stand still. */
  private static final Duration MAX_AGE = Duration.ofHours(48);

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
    Instant loaded = NewestLoad.of(table);
    Optional<ShadowHistory.Proof> proof =
        history == null ? Optional.empty() : history.proof(table.uuid(), loaded);
    if (proof.isEmpty()) {
      return Check.unknown(
          name,
          "loaded and merged; its position is not verified: run compare --history with another side, after %s, without a cut or with one that leaves no key out"
              .formatted(loaded));
    }
    String why = "loaded, merged, and since %s compared row by row".formatted(loaded);
    return proof.get().ignored().isEmpty()
        ? Check.pass(name, why)
        : Check.unknown(name, why + without(proof.get().ignored()));
  }

  private static String without(SortedSet<String> ignored) {
    return ", but nobody compared columns %s: run compare --history without --ignored"
        .formatted(ignored);
  }

  private Check finality() {
    String name = "watermark";
    TableTruth truth = TableTruth.read(SparkTables.load(spark, base), SnapshotRef.MAIN_BRANCH);
    Opinion opinion = truth.opinion();
    Long watermark = truth.watermarkMillis();
    if (opinion == null || watermark == null) {
      return Check.fail(name, "the base table has none: readers cannot know what is complete");
    }
    Duration age = Duration.between(Instant.ofEpochMilli(watermark), clock.instant());
    String why =
        "%s, %d hours old, %s"
            .formatted(
                opinion.watermark(),
                age.toHours(),
                opinion.hold() == null ? "moved by the last merge" : "held: " + opinion.hold());
    if (truth.isRevoked()) {
      return Check.fail(
          name, why + "; revoked: the base table was rolled back behind what it had published");
    }
    if (opinion.bootstrapPending()) {
      return Check.fail(name, why + "; a bootstrap beside the stream is not completed");
    }
    Long from = opinion.watermark().fromMillis();
    if (from == null) {
      return Check.fail(name, why + "; a ledger has none yet, so nothing is known to be complete");
    }
    if (from >= watermark) {
      return Check.fail(
          name, why + "; the interval is empty: a ledger that joined has not reached it yet");
    }
    return age.compareTo(MAX_AGE) > 0
        ? Check.unknown(
            name,
            why
                + "; older than %d hours: nobody can tell that merges still come"
                    .formatted(MAX_AGE.toHours()))
        : Check.pass(name, why);
  }

  private boolean isDeclared(String key, String name) {
    return facts.list(key).contains(name);
  }

  private Check cleanDays(@Nullable ShadowHistory history) {
    if (history == null) {
      return Check.unknown("clean days", "no history of comparisons was named");
    }
    ShadowHistory.CleanDays clean =
        history.cleanDays(SparkTables.load(spark, base).uuid(), clock.instant());
    String why = clean.days() + " in a row (expected: " + WANTED_DAYS + ")";
    SortedSet<String> ignored = clean.ignoredIn(WANTED_DAYS);
    return clean.days() < WANTED_DAYS || ignored.isEmpty()
        ? Check.of("clean days", clean.days() >= WANTED_DAYS, why)
        : Check.unknown("clean days", why + without(ignored));
  }

  private Check schemas() {
    String url = facts.get("schema-registry.url");
    List<String> subjects = facts.list("schema-registry.subjects");
    if (url == null || subjects.isEmpty()) {
      return untold("schemas registered", "schema-registry.url and schema-registry.subjects");
    }
    SchemaRegistry registry = new SchemaRegistry(new HttpQuestions(), url);
    for (String subject : subjects) {
      Check check = registry.check("schemas registered", subject);
      if (check.verdict() != Check.Verdict.PASS) {
        return check;
      }
    }
    return Check.pass("schemas registered", String.join(", ", subjects));
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
