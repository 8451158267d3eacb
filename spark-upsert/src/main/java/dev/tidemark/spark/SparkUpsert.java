package dev.tidemark.spark;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.spark.bootstrap.Bootstrap;
import dev.tidemark.spark.cutover.Check;
import dev.tidemark.spark.cutover.CutoverChecklist;
import dev.tidemark.spark.cutover.CutoverFacts;
import dev.tidemark.spark.cutover.ReadingView;
import dev.tidemark.spark.maintenance.LedgerCompaction;
import dev.tidemark.spark.maintenance.SnapshotExpiry;
import dev.tidemark.spark.maintenance.TombstonePurge;
import dev.tidemark.spark.merge.LedgerMerge;
import dev.tidemark.spark.merge.MergeOptions;
import dev.tidemark.spark.merge.MergeOutcome;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.shadow.ReportFormat;
import dev.tidemark.spark.shadow.ShadowCompare;
import dev.tidemark.spark.shadow.ShadowHistory;
import dev.tidemark.spark.shadow.ShadowReport;
import dev.tidemark.spark.shadow.Side;
import dev.tidemark.spark.source.MariaDbBinlog;
import dev.tidemark.spark.source.SourceDatabase;
import dev.tidemark.spark.source.SourceTable;
import dev.tidemark.spark.table.BaseColumns;
import dev.tidemark.spark.table.SparkTables;
import dev.tidemark.spark.table.TableName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The command line: the first argument is a command, the others are {@code --name value}. Catalogs
 * and master come from Spark's own configuration, say {@code spark-submit --conf}. Tables are
 * {@code catalog.namespace.table}.
 *
 * <pre>
 * merge       --base --ledgers a,b [--ignored columns] [--staging table]
 *             [--truncate ignore|apply] [--missing-half fail|null] [--compact-min-files 5] [--target-mb 512]
 * bootstrap   --base --ledger SOURCE
 * compact     --ledger [--min-files 5] [--target-mb 512]
 * expire      --ledger --bases a,b [--keep P5D]
 * expire-base --base [--keep P5D]
 * purge       --base --before 2026-01-01T00:00:00Z
 * compare     --base --key columns
 *             --reference table | SOURCE
 *             [--cut time] [--format text|json|html]
 *             [--history table] [--reference-changed-at column] [--ignored columns]
 * clean-days  --base --history table [--days 14]
 * swap-view   --view database.view [--to-base table | --to-table table]; without either: back
 * checklist   --base [--history table] [--facts file]
 *
 * SOURCE is   --url jdbc:… --table [--user] [--password-env VARIABLE]
 *             [--split-by column [--connections 4]]
 * </pre>
 *
 * Exit status: 0 done or clean, 1 failed, differs or not enough days, 2 not understood.
 */
public final class SparkUpsert {
  private final SparkSession spark;
  private final PrintStream out;
  private final Clock clock;

  SparkUpsert(SparkSession spark, PrintStream out, Clock clock) {
    this.spark = spark;
    this.out = out;
    this.clock = clock;
  }

  /** Runs a command and ends the JVM with its exit status. */
  public static void main(String[] arguments) {
    int status;
    try (SparkSession spark =
        SparkSession.builder()
            .appName("tidemark spark-upsert")
            .config(
                "spark.sql.extensions",
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
            .getOrCreate()) {
      status = new SparkUpsert(spark, System.out, Clock.systemUTC()).run(List.of(arguments));
    } catch (Exception e) {
      System.err.println("Failed: " + e.getMessage());
      e.printStackTrace();
      status = 1;
    }
    System.exit(status);
  }

  /** Runs a command; returns its exit status. */
  int run(List<String> words) throws SQLException {
    try {
      String command = words.isEmpty() ? "" : words.get(0);
      return run(command, new Arguments(words.subList(Math.min(1, words.size()), words.size())));
    } catch (IllegalArgumentException | DateTimeParseException e) {
      out.println(e.getMessage());
      return 2;
    }
  }

  private int run(String command, Arguments arguments) throws SQLException {
    return switch (command) {
      case "merge" -> merge(arguments);
      case "bootstrap" -> bootstrap(arguments);
      case "compact" -> compact(arguments);
      case "expire" -> expire(arguments);
      case "expire-base" -> expireBase(arguments);
      case "purge" -> purge(arguments);
      case "compare" -> compare(arguments);
      case "clean-days" -> cleanDays(arguments);
      case "swap-view" -> swapView(arguments);
      case "checklist" -> checklist(arguments);
      default ->
          throw new IllegalArgumentException(
              "Unknown command: \"%s\" (expected: merge, bootstrap, compact, expire, expire-base, purge, compare, clean-days, swap-view or checklist)"
                  .formatted(command));
    };
  }

  private int merge(Arguments arguments) {
    MergeRequest request =
        new MergeRequest(
            arguments.table("base"),
            arguments.tables("ledgers"),
            Set.copyOf(Arguments.list(arguments.optional("ignored", ""))),
            mergeOptions(arguments));
    arguments.expectNoMore();
    List<MergeOutcome> outcomes = LedgerMerge.of(spark, request).run();
    for (int i = 0; i < outcomes.size(); i++) {
      out.println(request.ledgers().get(i) + ": " + text(outcomes.get(i)));
    }
    return 0;
  }

  private static MergeOptions mergeOptions(Arguments arguments) {
    String staging = arguments.optional("staging");
    String minFiles = arguments.optional("compact-min-files");
    String truncate = arguments.optional("truncate", "of-the-only-ledger");
    return MergeOptions.STANDARD
        .through(staging == null ? null : TableName.parse(staging))
        .on(MergeOptions.Truncate.valueOf(truncate.replace('-', '_').toUpperCase(Locale.ROOT)))
        .withoutMissingHalf(arguments.oneOf("missing-half", "fail", "null").equals("null"))
        .after(minFiles == null ? null : compaction(arguments, minFiles));
  }

  private static LedgerCompaction compaction(Arguments arguments, String minFiles) {
    return new LedgerCompaction(
        Integer.parseInt(minFiles), Long.parseLong(arguments.optional("target-mb", "512")) << 20);
  }

  private static String text(MergeOutcome outcome) {
    StringBuilder text = new StringBuilder();
    if (outcome instanceof MergeOutcome.Merged merged) {
      text.append(
          String.format(
              Locale.ROOT,
              "merged %,d changes with %d exchanges as snapshot %d",
              merged.ledgerRows(),
              merged.exchanges(),
              merged.snapshotId()));
    } else if (outcome instanceof MergeOutcome.Idle idle) {
      text.append("no new row, finality moved as snapshot ").append(idle.snapshotId());
    } else {
      text.append("nothing new");
    }
    if (outcome.opinion() != null) {
      text.append("; watermark ").append(outcome.opinion().watermark());
    }
    outcome.notes().forEach(note -> text.append("\n  ").append(note));
    return text.toString();
  }

  private int bootstrap(Arguments arguments) throws SQLException {
    TableName base = arguments.table("base");
    TableName ledger = arguments.table("ledger");
    SourceTable dump = source(arguments);
    arguments.expectNoMore();
    BinlogPosition position = position(dump.database());
    out.println("position " + position + " taken; start the ledger's source after it");
    long snapshot = new Bootstrap(spark, base, ledger).load(position, dump.rows(spark));
    out.println("loaded " + dump + " as snapshot " + snapshot);
    return 0;
  }

  private static SourceTable source(Arguments arguments) throws SQLException {
    SourceDatabase database =
        SourceDatabase.of(
            arguments.required("url"),
            arguments.optional("user"),
            arguments.optional("password-env"));
    SourceTable table = SourceTable.of(database, arguments.required("table"));
    String split = arguments.optional("split-by");
    int connections = Integer.parseInt(arguments.optional("connections", "4"));
    return split == null ? table : table.over(connections, split);
  }

  private static BinlogPosition position(SourceDatabase database) throws SQLException {
    try (Connection connection = database.connect()) {
      return new MariaDbBinlog(connection).position();
    }
  }

  private int compact(Arguments arguments) {
    TableName ledger = arguments.table("ledger");
    LedgerCompaction compaction = compaction(arguments, arguments.optional("min-files", "5"));
    arguments.expectNoMore();
    LedgerCompaction.Result result = compaction.finalHours(spark, ledger);
    out.printf(
        "%d final hours: %d files became %d%n", result.hours(), result.rewritten(), result.added());
    return 0;
  }

  private int expire(Arguments arguments) {
    SnapshotExpiry expiry = expiry(arguments);
    TableName ledger = arguments.table("ledger");
    List<TableName> bases = arguments.tables("bases");
    arguments.expectNoMore();
    if (bases.isEmpty()) {
      throw new IllegalArgumentException(
          "Missing argument: --bases (expected: every base table of the ledger, else nothing protects what their next merges read)");
    }
    out.println(expiry.ledger(spark, ledger, bases) + " snapshots of " + ledger + " expired");
    return 0;
  }

  private int expireBase(Arguments arguments) {
    SnapshotExpiry expiry = expiry(arguments);
    TableName base = arguments.table("base");
    arguments.expectNoMore();
    out.println(expiry.base(spark, base) + " snapshots of " + base + " expired");
    return 0;
  }

  private SnapshotExpiry expiry(Arguments arguments) {
    return new SnapshotExpiry(Duration.parse(arguments.optional("keep", "P5D")), clock);
  }

  private int purge(Arguments arguments) {
    TableName base = arguments.table("base");
    Instant before = Instant.parse(arguments.required("before"));
    arguments.expectNoMore();
    if (!before.isBefore(clock.instant())) {
      throw new IllegalArgumentException(
          "Invalid argument: --before %s (expected: earlier than anything Kafka still holds, and so than now)"
              .formatted(before));
    }
    TombstonePurge.run(spark, base, before);
    return 0;
  }

  private int compare(Arguments arguments) throws SQLException {
    TableName base = arguments.table("base");
    List<String> key = Arguments.list(arguments.required("key"));
    String cut = arguments.optional("cut");
    ReportFormat format =
        ReportFormat.valueOf(arguments.optional("format", "text").toUpperCase(Locale.ROOT));
    String history = arguments.optional("history");
    List<String> ignored = Arguments.list(arguments.optional("ignored", ""));
    Side reference = reference(arguments);
    arguments.expectNoMore();
    ShadowReport report =
        ShadowCompare.of(key, values(base, key, ignored))
            .run(
                spark,
                Side.base(spark, base),
                reference,
                cut == null ? null : Instant.parse(cut),
                clock);
    out.println(format.write(report));
    if (history != null) {
      new ShadowHistory(spark, TableName.parse(history)).add(report);
    }
    return report.exitCode();
  }

  private Side reference(Arguments arguments) throws SQLException {
    String changedAt = arguments.optional("reference-changed-at");
    if ((arguments.optional("reference") == null) == (arguments.optional("url") == null)) {
      throw new IllegalArgumentException(
          "Missing argument: --reference table, or --url and --table of a database (expected: one of the two)");
    }
    if (arguments.optional("url") != null) {
      SourceTable source = source(arguments);
      return new Side(source.toString(), source.rows(spark), changedAt);
    }
    TableName reference = arguments.table("reference");
    return new Side(reference.toString(), spark.table(reference.sql()), changedAt);
  }

  private List<String> values(TableName base, List<String> key, List<String> ignored) {
    return SparkTables.load(spark, base).schema().columns().stream()
        .map(field -> field.name())
        .filter(name -> !BaseColumns.isKept(name))
        .filter(name -> !key.contains(name) && !ignored.contains(name))
        .toList();
  }

  private int cleanDays(Arguments arguments) {
    TableName base = arguments.table("base");
    ShadowHistory history = new ShadowHistory(spark, arguments.table("history"));
    int wanted = Integer.parseInt(arguments.optional("days", "14"));
    arguments.expectNoMore();
    int days = history.cleanDays(base.toString(), clock.instant());
    out.println(days + " clean days in a row (expected: at least " + wanted + ")");
    return days >= wanted ? 0 : 1;
  }

  private int swapView(Arguments arguments) {
    ReadingView view = new ReadingView(arguments.required("view"));
    String base = arguments.optional("to-base");
    String table = arguments.optional("to-table");
    arguments.expectNoMore();
    if (base != null) {
      view.showBase(spark, TableName.parse(base));
    } else if (table != null) {
      view.showTable(spark, TableName.parse(table));
    } else {
      view.fallBack(spark);
    }
    out.println(view.view() + " shows: " + view.shown(spark));
    return 0;
  }

  private int checklist(Arguments arguments) {
    TableName base = arguments.table("base");
    String history = arguments.optional("history");
    CutoverFacts facts = facts(arguments.optional("facts"));
    arguments.expectNoMore();
    List<Check> checks =
        new CutoverChecklist(spark, base, facts, clock)
            .run(history == null ? null : new ShadowHistory(spark, TableName.parse(history)));
    checks.forEach(out::println);
    return checks.stream().allMatch(check -> check.verdict() == Check.Verdict.PASS) ? 0 : 1;
  }

  private static CutoverFacts facts(@Nullable String file) {
    Properties properties = new Properties();
    if (file != null) {
      try (BufferedReader reader = Files.newBufferedReader(Path.of(file))) {
        properties.load(reader);
      } catch (IOException e) {
        throw new IllegalArgumentException("Cannot read " + file + ": " + e.getMessage(), e);
      }
    }
    Map<String, String> facts = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> facts.put(key, properties.getProperty(key)));
    return new CutoverFacts(facts);
  }
}
