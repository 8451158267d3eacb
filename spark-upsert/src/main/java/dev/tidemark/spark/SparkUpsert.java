package dev.tidemark.spark;

import dev.tidemark.iceberg.TableTruth;
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
import dev.tidemark.spark.merge.MergeFailedException;
import dev.tidemark.spark.merge.MergeOptions;
import dev.tidemark.spark.merge.MergeOutcome;
import dev.tidemark.spark.merge.MergeRequest;
import dev.tidemark.spark.plan.ShuffledBytes;
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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * The command line: the first argument is a command, the others are {@code --name value}. Catalogs
 * and master come from Spark's own configuration, say {@code spark-submit --conf}. Tables are
 * {@code catalog.namespace.table}.
 *
 * <pre>
 * merge       --base --ledgers a,b [--ignored columns] [--staging table]
 *             [--truncate ignore|apply] [--missing-half fail|null]
 *             [--compact-min-files 5 [--target-mb 512]]
 * bootstrap   --base --ledger SOURCE
 * compact     --ledger [--min-files 5] [--target-mb 512]
 * expire      --ledger --bases a,b [--keep P5D]
 * expire-base --base [--keep P5D]
 * purge       --base --before 2026-01-01T00:00:00Z
 * compare     --base --key columns
 *             --reference table | SOURCE
 *             [--cut time; with --reference-changed-at else the watermark of the base table]
 *             [--format text|json|html]
 *             [--history table] [--reference-changed-at column] [--ignored columns]
 * clean-days  --base --history table [--days 14]
 * swap-view   --view database.view [--to-base table [--after views] | --to-table table];
 *             without either: back to what it showed before it was moved last, and no further
 * checklist   --base [--history table] [--facts file]
 *
 * SOURCE is   --url jdbc:… --table [--user] [--password-env VARIABLE]
 *             [--split-by column [--connections 4]]
 * </pre>
 *
 * For bootstrap the column of {@code --split-by} must be one of the ledger's key.
 *
 * <p>Exit status: 0 done or clean; 1 refused, failed, differs or not enough days, with what was
 * wrong printed; 2 if the command line was not understood, and then nothing was done.
 */
public final class SparkUpsert {
  private static final String VIEW = "catalog.namespace.view or database.view";
  private static final String TIME = "a time such as 2026-01-01T00:00:00Z";

  private final SparkSession spark;
  private final PrintStream out;
  private final Clock clock;

  SparkUpsert(SparkSession spark, PrintStream out, Clock clock) {
    this.spark = spark;
    this.out = out;
    this.clock = clock;
  }

  /**
   * Runs a command and ends the JVM with its exit status, whatever happens: also an {@link Error}
   * that leaves threads behind.
   */
  public static void main(String[] arguments) {
    int status = 1;
    try (SparkSession spark =
        SparkSession.builder()
            .appName("tidemark spark-upsert")
            .config(
                "spark.sql.extensions",
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
            .getOrCreate()) {
      status = new SparkUpsert(spark, System.out, Clock.systemUTC()).run(List.of(arguments));
    } catch (Throwable e) {
      status = 1;
      System.err.println("Failed: " + Failures.text(e));
      System.err.print(Failures.stackTrace(e));
    } finally {
      System.exit(status);
    }
  }

  /** Runs a command and prints what comes of it, also why it failed; returns its exit status. */
  int run(List<String> words) {
    try {
      String command = words.isEmpty() ? "" : words.get(0);
      return run(command, new Arguments(words.subList(Math.min(1, words.size()), words.size())));
    } catch (UsageException e) {
      out.println(e.getMessage());
      return 2;
    } catch (MergeFailedException e) {
      e.outcomes().forEach(this::print);
      e.failures().forEach(this::print);
      e.notTried().forEach(ledger -> out.println(ledger + ": not tried, that ended the run"));
      return 1;
    } catch (Throwable e) {
      out.println("Failed: " + Failures.text(e));
      System.err.print(Failures.stackTrace(e));
      return 1;
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
          throw new UsageException(
              "Unknown command: \"%s\" (expected: merge, bootstrap, compact, expire, expire-base, purge, compare, clean-days, swap-view or checklist)"
                  .formatted(command));
    };
  }

  private int merge(Arguments arguments) {
    TableName base = arguments.table("base");
    List<TableName> ledgers = arguments.tables("ledgers");
    Set<String> ignored = Set.copyOf(arguments.names("ignored"));
    MergeOptions options = mergeOptions(arguments);
    arguments.expectNoMore();
    List<MergeOutcome> outcomes =
        LedgerMerge.of(spark, request(base, ledgers, ignored, options)).run();
    for (int i = 0; i < outcomes.size(); i++) {
      print(ledgers.get(i), outcomes.get(i));
    }
    return 0;
  }

  private static MergeRequest request(
      TableName base, List<TableName> ledgers, Set<String> ignored, MergeOptions options) {
    try {
      return new MergeRequest(base, ledgers, ignored, options);
    } catch (IllegalArgumentException e) {
      throw new UsageException("Invalid argument: --ledgers: " + e.getMessage(), e);
    }
  }

  private static MergeOptions mergeOptions(Arguments arguments) {
    boolean compacts = arguments.optional("compact-min-files") != null;
    String target = arguments.optional("target-mb");
    if (target != null && !compacts) {
      throw new UsageException(
          "Invalid argument: --target-mb %s without --compact-min-files (expected: both, since the first is the size of the files that the second has rewritten)"
              .formatted(target));
    }
    return MergeOptions.STANDARD
        .through(arguments.optionalTable("staging"))
        .on(
            arguments.optional(
                "truncate",
                MergeOptions.Truncate.OF_THE_ONLY_LEDGER,
                "ignore or apply",
                SparkUpsert::truncate))
        .on(
            arguments.optional(
                "missing-half",
                MergeOptions.MissingHalf.FAIL,
                "fail or null",
                SparkUpsert::missingHalf))
        .after(compacts ? compaction(arguments, "compact-min-files") : null);
  }

  private static MergeOptions.Truncate truncate(String answer) {
    return switch (answer) {
      case "ignore" -> MergeOptions.Truncate.IGNORE;
      case "apply" -> MergeOptions.Truncate.APPLY;
      default -> throw new IllegalArgumentException(answer);
    };
  }

  private static MergeOptions.MissingHalf missingHalf(String answer) {
    return switch (answer) {
      case "fail" -> MergeOptions.MissingHalf.FAIL;
      case "null" -> MergeOptions.MissingHalf.NULL;
      default -> throw new IllegalArgumentException(answer);
    };
  }

  private static LedgerCompaction compaction(Arguments arguments, String minFiles) {
    return new LedgerCompaction(
        arguments.number(minFiles, 5, 2), (long) arguments.number("target-mb", 512, 1) << 20);
  }

  private void print(TableName ledger, MergeOutcome outcome) {
    out.println(ledger + ": " + text(outcome));
  }

  private void print(TableName ledger, Throwable failure) {
    out.println(ledger + ": failed: " + Failures.text(failure));
    System.err.print(Failures.stackTrace(failure));
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
      if (merged.shuffledBytes() > 0) {
        text.append("; ").append(ShuffledBytes.text(merged.shuffledBytes())).append(" shuffled");
      }
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
    SourceOptions source = SourceOptions.of(arguments);
    arguments.expectNoMore();
    expectSplitByKey(ledger, source.split());
    SourceTable dump = source.open();
    BinlogPosition position = position(dump.database());
    out.println("position " + position + " taken; start the ledger's source after it");
    long snapshot = new Bootstrap(spark, base, ledger).load(position, dump.rows(spark));
    out.println("loaded " + dump + " as snapshot " + snapshot);
    return 0;
  }

  /** Ranges are read at several times: a row that an UPDATE moves between them comes twice. */
  private void expectSplitByKey(TableName ledger, @Nullable String split) {
    if (split == null) {
      return;
    }
    List<String> key = BaseColumns.keyNames(SparkTables.load(spark, ledger).schema());
    String column = split.replaceAll("[`\"]", "");
    if (key.stream().noneMatch(column::equalsIgnoreCase)) {
      throw new UsageException(
          "Invalid argument: --split-by %s (expected: of the key columns %s of %s; else a row that is written meanwhile may move from one range to another, and be loaded twice)"
              .formatted(split, key, ledger));
    }
  }

  private static BinlogPosition position(SourceDatabase database) throws SQLException {
    try (Connection connection = database.connect()) {
      return new MariaDbBinlog(connection).position();
    }
  }

  private int compact(Arguments arguments) {
    TableName ledger = arguments.table("ledger");
    LedgerCompaction compaction = compaction(arguments, "min-files");
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
      throw new UsageException(
          "Missing argument: --bases (expected: every base table of the ledger, else nothing protects what their next merges read)");
    }
    SnapshotExpiry.Result result = expiry.ledger(spark, ledger, bases);
    out.println(result.expired() + " snapshots of " + ledger + " expired");
    result.held().forEach(why -> out.println("  " + why));
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
    return new SnapshotExpiry(
        arguments.optional("keep", Duration.ofDays(5), "a duration such as P5D", SparkUpsert::keep),
        clock);
  }

  private static Duration keep(String text) {
    Duration keep = Duration.parse(text);
    if (keep.isNegative()) {
      throw new IllegalArgumentException(text);
    }
    return keep;
  }

  private int purge(Arguments arguments) {
    TableName base = arguments.table("base");
    Instant before = arguments.required("before", TIME, Instant::parse);
    arguments.expectNoMore();
    if (!before.isBefore(clock.instant())) {
      throw new UsageException(
          "Invalid argument: --before %s (expected: earlier than anything Kafka still holds, and so than now)"
              .formatted(before));
    }
    TombstonePurge.run(spark, base, before);
    return 0;
  }

  private int compare(Arguments arguments) throws SQLException {
    TableName base = arguments.table("base");
    List<String> key = arguments.names("key");
    Instant cut = arguments.optional("cut", TIME, Instant::parse);
    ReportFormat format =
        arguments.optional(
            "format",
            ReportFormat.TEXT,
            "text, json or html",
            text -> ReportFormat.valueOf(text.toUpperCase(Locale.ROOT)));
    TableName history = arguments.optionalTable("history");
    List<String> ignored = arguments.names("ignored");
    TableName table = arguments.optionalTable("reference");
    SourceOptions source = arguments.optional("url") == null ? null : SourceOptions.of(arguments);
    String changedAt = arguments.optional("reference-changed-at");
    arguments.expectNoMore();
    if (key.isEmpty()) {
      throw new UsageException("Missing argument: --key (expected: the columns of the key)");
    }
    Side reference = reference(table, source, changedAt);
    if (cut == null && changedAt != null) {
      cut = watermark(base);
    }
    ShadowReport report =
        ShadowCompare.of(key, values(base, key, ignored))
            .ignoring(ignored)
            .run(spark, Side.base(spark, base), reference, cut, clock);
    out.println(format.write(report));
    if (history != null) {
      new ShadowHistory(spark, history).add(report);
    }
    return report.exitCode();
  }

  /** The natural cut, down to a whole second: change events of MariaDB have no finer time. */
  private Instant watermark(TableName base) {
    Table table = SparkTables.load(spark, base);
    Long watermark = TableTruth.read(table, SnapshotRef.MAIN_BRANCH).watermarkMillis();
    if (watermark == null) {
      throw new IllegalStateException(
          "Cannot compare %s at its watermark: it has none (expected: --cut beside --reference-changed-at, or a merge of a ledger that has one)"
              .formatted(base));
    }
    return Instant.ofEpochMilli(watermark).truncatedTo(ChronoUnit.SECONDS);
  }

  private Side reference(
      @Nullable TableName table, @Nullable SourceOptions source, @Nullable String changedAt)
      throws SQLException {
    if (table != null && source == null) {
      return new Side(table.toString(), spark.table(table.sql()), changedAt);
    } else if (source != null && table == null) {
      SourceTable rows = source.open();
      return new Side(rows.toString(), rows.rows(spark), changedAt);
    }
    throw new UsageException(
        "Missing argument: --reference table, or --url and --table of a database (expected: one of the two)");
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
    int wanted = arguments.number("days", 14, 1);
    arguments.expectNoMore();
    ShadowHistory.CleanDays clean =
        history.cleanDays(SparkTables.load(spark, base).uuid(), clock.instant());
    out.println(clean.days() + " clean days in a row (expected: at least " + wanted + ")");
    Set<String> ignored = clean.ignoredIn(clean.days());
    if (!ignored.isEmpty()) {
      out.println("  columns that a comparison left out: " + String.join(", ", ignored));
    }
    return clean.days() >= wanted ? 0 : 1;
  }

  private int swapView(Arguments arguments) {
    ReadingView view = arguments.required("view", VIEW, ReadingView::new);
    List<ReadingView> first =
        arguments.optional(
            "after", List.of(), VIEW + ", with commas between several", SparkUpsert::views);
    TableName base = arguments.optionalTable("to-base");
    TableName table = arguments.optionalTable("to-table");
    arguments.expectNoMore();
    if (base != null && table != null) {
      throw new UsageException(
          "Invalid arguments: --to-base %s --to-table %s (expected: one of the two, or neither to swap back)"
              .formatted(base, table));
    }
    if (base == null && !first.isEmpty()) {
      throw new UsageException(
          "Invalid argument: --after without --to-base (expected: both; a way back waits for nobody)");
    }
    boolean isMoved = true;
    if (base != null) {
      expectShown(view, base, first);
      view.showBase(spark, base);
    } else if (table != null) {
      view.showTable(spark, table);
    } else {
      isMoved = view.fallBack(spark);
    }
    String shows = isMoved ? " shows: " : " shows already what it showed before: ";
    out.println(view.view() + shows + view.shown(spark));
    return 0;
  }

  private static List<ReadingView> views(String text) {
    List<ReadingView> views = Arguments.list(text).stream().map(ReadingView::new).toList();
    if (views.isEmpty()) {
      throw new IllegalArgumentException(text);
    }
    return views;
  }

  /** Views of readers who can bear a mistake are swapped first. */
  private void expectShown(ReadingView view, TableName base, List<ReadingView> first) {
    List<String> missing =
        first.stream().filter(one -> !one.showsBase(spark, base)).map(ReadingView::view).toList();
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "Cannot swap view %s to %s: %s do not show it (expected: views that --after names are swapped before)"
              .formatted(view.view(), base, missing));
    }
  }

  private int checklist(Arguments arguments) {
    TableName base = arguments.table("base");
    TableName history = arguments.optionalTable("history");
    CutoverFacts facts = facts(arguments.optional("facts"));
    arguments.expectNoMore();
    List<Check> checks =
        new CutoverChecklist(spark, base, facts, clock)
            .run(history == null ? null : new ShadowHistory(spark, history));
    checks.forEach(out::println);
    return checks.stream().allMatch(check -> check.verdict() == Check.Verdict.PASS) ? 0 : 1;
  }

  private static CutoverFacts facts(@Nullable String file) {
    Properties properties = new Properties();
    if (file != null) {
      try (BufferedReader reader = Files.newBufferedReader(Path.of(file))) {
        properties.load(reader);
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot read the facts of " + file, e);
      }
    }
    Map<String, String> facts = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> facts.put(key, properties.getProperty(key)));
    return new CutoverFacts(facts);
  }
}
