package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.replay.Replay;
import dev.tidemark.cli.replay.StoredHistory;
import dev.tidemark.cli.replay.Trial;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What another policy would have made of a table's own history. */
@Command(
    name = "replay",
    description =
        "How fresh, and how often late, a policy would have been over the table's own history.")
public final class ReplayCommand extends TableCommand {
  @Option(
      names = "--policy",
      description =
          "min, quantile:0.01, bounded-lateness:PT10M or source-promise; what the table has if it"
              + " is not given.")
  private @Nullable String policy;

  @Option(
      names = "--lookback",
      paramLabel = "COMMITS,SPAN",
      description = "The window, such as 6,PT30M; that of the table by default.")
  private @Nullable String lookback;

  @Option(
      names = "--granularity",
      description = "Such as PT15M, PT1H, P1D or P1D@Asia/Seoul; that of the table by default.")
  private @Nullable String granularity;

  @Option(
      names = "--idle-timeout",
      description =
          "After how much silence of a source that stands at its ends time goes on; counts for"
              + " commits with coverage.")
  private @Nullable String idleTimeout;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Commits before it warm up and are not measured.")
  private @Nullable String from;

  @Override
  ExitCode run(FinalityTable table) {
    StoredHistory history = read(table);
    if (!history.hasFacts()) {
      out().complain(withoutFacts("replay", table, history));
      return ExitCode.NO_METADATA;
    }
    Replay replay =
        Replay.run(
            history, trial(history), from == null ? Long.MIN_VALUE : Spans.instantMillis(from));
    if (isJson()) {
      out().json(ReplayJson.of(table.name(), replay));
    } else {
      out().line(ReplayText.of(table.name(), replay));
    }
    return replay.isMeasurable() ? ExitCode.READY : ExitCode.NOT_READY;
  }

  private Trial trial(StoredHistory history) {
    Duration timeout = idleTimeout == null ? null : Spans.parse(idleTimeout);
    if (policy == null && lookback == null && granularity == null) {
      return new Trial(null, timeout);
    }
    PolicyText own = history.newest().policy();
    Lookback window =
        lookback == null
            ? new Lookback(own.lookbackCommits(), own.lookbackSpan())
            : Lookback.parse(lookback);
    return new Trial(
        new PolicyText(
            policy == null ? own.policy() : FinalizationPolicy.parse(policy),
            window.commits(),
            window.span(),
            granularity == null ? own.granularity() : Granularity.parse(granularity)),
        timeout);
  }

  static StoredHistory read(FinalityTable table) {
    try (Stream<RecentCommit> commits = table.commits()) {
      return StoredHistory.read(commits);
    }
  }

  static String withoutFacts(String what, FinalityTable table, StoredHistory history) {
    return "Cannot "
        + what
        + " "
        + table.name()
        + ": "
        + (history.isEmpty()
            ? "no commit that is kept carries finalization metadata"
            : "none of its " + history.commits().size() + " commits carries facts of event time")
        + " (expected: a table that a Tidemark sink has written)";
  }
}
