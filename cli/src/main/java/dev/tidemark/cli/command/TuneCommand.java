package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.replay.Budget;
import dev.tidemark.cli.replay.Percent;
import dev.tidemark.cli.replay.StoredHistory;
import dev.tidemark.cli.replay.Tuning;
import dev.tidemark.cli.replay.Verdict;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.granule.Granularity;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Which policy and window meet a budget, by the table's own history. */
@Command(
    name = "tune",
    description = "Which policy and window meet a budget, judged by the table's own history.")
public final class TuneCommand extends TableCommand {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--max-late",
      required = true,
      paramLabel = "SHARE",
      description = "The share of rows that may come after their granule was final: 0.01%%.")
  private String maxLate;

  @Option(
      names = "--max-lag",
      paramLabel = "DURATION",
      description = "How far the watermark may lag after 95 of 100 commits: 90m; any by default.")
  private @Nullable String maxLag;

  @Option(
      names = "--behind",
      paramLabel = "WHAT",
      description =
          "What the lag is measured against: commit time (commit), or the newest event (events),"
              + " for data that was loaded later. Default: ${DEFAULT-VALUE}.")
  private Budget.Behind behind = Budget.Behind.COMMIT;

  @Option(
      names = "--granularity",
      description = "Such as PT15M, PT1H or P1D; that of the table by default.")
  private @Nullable String granularity;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Commits before it warm up and are not measured.")
  private @Nullable String from;

  @Option(names = "--all", description = "List every policy that was tried.")
  private boolean all;

  @Override
  ExitCode run(FinalityTable table) {
    Budget budget =
        new Budget(Percent.parse(maxLate), maxLag == null ? null : Spans.parse(maxLag), behind);
    StoredHistory history = ReplayCommand.read(table);
    if (!history.hasFacts()) {
      out().complain(ReplayCommand.withoutFacts("tune", table, history));
      return ExitCode.NO_METADATA;
    }
    Tuning tuning =
        Tuning.search(
            history,
            budget,
            granularity == null
                ? history.newest().policy().granularity()
                : Granularity.parse(granularity),
            from == null ? Long.MIN_VALUE : Spans.instantMillis(from));
    if (isJson()) {
      out().json(ReplayJson.of(table.name(), tuning));
    } else {
      out().line(TuneText.of(table.name(), tuning, all));
    }
    return tuning.verdict() instanceof Verdict.Found ? ExitCode.READY : ExitCode.NOT_READY;
  }
}
