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
import java.time.Duration;
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
        "The commits of a table, newest first, and what each did to the watermark. Times are UTC;"
            + " ids in full with --json.")
public final class HistoryCommand extends TableCommand {
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm").withZone(ZoneOffset.UTC);

  /** What a wide terminal shows. */
  private static final int WIDTH = 120;

  private static final int ID_LENGTH = 8;
  private static final int WRITER_LENGTH = 12;
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
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
    TableFinality finality = table.finality();
    if (isSilent(finality)) {
      return withoutMetadata("show the history of");
    }
    if (finality.opinion() == null) {
      return revoked("show the opinions of");
    }
    return finality.revoked() ? ExitCode.CHANGED : ExitCode.READY;
  }

  private void print(List<CommitFacts> commits) {
    TextTable text =
        new TextTable("TIME", "ID", "WRITER", "ROWS", "MIN-P50-MAX", "FINAL UP TO", "HOLD");
    for (CommitFacts commit : commits) {
      Long rows = commit.rows();
      text.add(
          SECOND.format(Instant.ofEpochMilli(commit.timeMillis())),
          shortened(commit.id(), ID_LENGTH),
          commit.writer() == null ? "-" : shortened(commit.writer(), WRITER_LENGTH),
          rows == null ? "-" : rows.toString(),
          events(commit),
          commit.watermarkMillis() == null ? "-" : minute(commit.watermarkMillis()),
          hold(commit));
    }
    text.lines(WIDTH).forEach(out()::line);
  }

  private static String shortened(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length - 1) + "…";
  }

  /** The day once; later ones as so many days more. */
  private static String events(CommitFacts commit) {
    if (commit.facts() == null || !commit.hasStreamRecords()) {
      return "-";
    }
    EventTimeSketch times = commit.facts().times();
    long min = times.minMillis();
    return Stream.of(times.quantileMillis(0.5), times.maxMillis())
        .map(time -> minute(time).substring(DAY_LENGTH) + daysAfter(min, time))
        .collect(Collectors.joining("-", minute(min) + "-", ""));
  }

  private static String daysAfter(long first, long millis) {
    long days = Math.floorDiv(millis, DAY_MILLIS) - Math.floorDiv(first, DAY_MILLIS);
    return days == 0 ? "" : "+" + days + "d";
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
