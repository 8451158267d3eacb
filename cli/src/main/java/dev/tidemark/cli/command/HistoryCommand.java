package dev.tidemark.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.cli.history.HistoryJson;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The commits of a table, newest first. */
@Command(
    name = "history",
    description =
        "The commits of a table, newest first, and what each did to the watermark. Times are UTC.")
public final class HistoryCommand extends TableCommand {
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm").withZone(ZoneOffset.UTC);
  private static final int DAY_LENGTH = "2026-01-01 ".length();

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
    if (commits.stream().anyMatch(commit -> !commit.isForeign())) {
      return ExitCode.READY;
    }
    TableFinality finality = table.finality();
    if (isSilent(finality)) {
      return withoutMetadata("show the history of");
    }
    return finality.opinion() == null ? revoked("show the opinions of") : ExitCode.READY;
  }

  private void print(List<CommitFacts> commits) {
    TextTable text =
        new TextTable("TIME", "ID", "WRITER", "ROWS", "MIN-P50-MAX", "FINAL UP TO", "HOLD");
    for (CommitFacts commit : commits) {
      Long rows = commit.rows();
      text.add(
          SECOND.format(Instant.ofEpochMilli(commit.timeMillis())),
          commit.id(),
          commit.writer() == null ? "-" : commit.writer(),
          rows == null ? "-" : rows.toString(),
          events(commit),
          commit.watermarkMillis() == null ? "-" : minute(commit.watermarkMillis()),
          hold(commit));
    }
    text.lines().forEach(out()::line);
  }

  /** The day once, where all are of one. */
  private static String events(CommitFacts commit) {
    if (commit.facts() == null || !commit.hasStreamRecords()) {
      return "-";
    }
    EventTimeSketch times = commit.facts().times();
    String min = minute(times.minMillis());
    String day = min.substring(0, DAY_LENGTH);
    return Stream.of(times.quantileMillis(0.5), times.maxMillis())
        .map(HistoryCommand::minute)
        .map(time -> time.startsWith(day) ? time.substring(DAY_LENGTH) : time)
        .collect(Collectors.joining("-", min + "-", ""));
  }

  private static String minute(long millis) {
    return MINUTE.format(Instant.ofEpochMilli(millis));
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
