package dev.tidemark.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.cli.history.HistoryJson;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The commits of a table, newest first. */
@Command(
    name = "history",
    description = "The commits of a table, newest first, and what each did to the watermark.")
public final class HistoryCommand extends TableCommand {
  @Option(names = "--limit", description = "How many; 20 by default.")
  private int limit = 20;

  @Override
  void check() {
    if (limit < 1) {
      throw new IllegalArgumentException("Invalid limit: " + limit + " (expected: at least 1)");
    }
  }

  @Override
  ExitCode run(FinalityTable table) {
    List<CommitFacts> commits = table.commits().limit(limit).map(CommitFacts::of).toList();
    if (isJson()) {
      ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", table.name());
      ArrayNode array = json.putArray("commits");
      commits.forEach(commit -> array.add(HistoryJson.of(commit)));
      out().json(json);
    } else {
      print(commits);
    }
    boolean foreign = commits.stream().allMatch(CommitFacts::isForeign);
    return foreign ? withoutMetadata("show the history of") : ExitCode.READY;
  }

  private void print(List<CommitFacts> commits) {
    TextTable text =
        new TextTable("TIME", "ID", "WRITER", "ROWS", "MIN", "P50", "MAX", "FINAL UP TO", "HOLD");
    for (CommitFacts commit : commits) {
      EventTimeSketch times =
          commit.hasStreamRecords() ? Objects.requireNonNull(commit.facts()).times() : null;
      Long rows = commit.rows();
      text.add(
          TimeText.instant(commit.timeMillis() / 1000 * 1000),
          commit.id(),
          commit.writer() == null ? "-" : commit.writer(),
          rows == null ? "-" : rows.toString(),
          time(times == null ? null : times.minMillis()),
          time(times == null ? null : times.quantileMillis(0.5)),
          time(times == null ? null : times.maxMillis()),
          time(commit.watermarkMillis()),
          hold(commit));
    }
    text.lines().forEach(out()::line);
  }

  /** To the second: the digest is not more exact, and it is shorter. */
  private static String time(@Nullable Long millis) {
    return millis == null
        ? "-"
        : TimeText.instant(Math.floorDiv(millis, 1000L) * 1000).replace(":00Z", "Z");
  }

  private static String hold(CommitFacts commit) {
    List<String> parts = new ArrayList<>();
    if (commit.isForeign()) {
      parts.add("(not ours)");
    } else {
      parts.add(commit.hold() == null ? "moved" : commit.hold().toString());
    }
    if (commit.late().total() > 0) {
      parts.add("late " + commit.late().total());
    }
    if (commit.lateForeign().total() > 0) {
      parts.add("late of others " + commit.lateForeign().total());
    }
    return String.join(", ", parts);
  }
}
