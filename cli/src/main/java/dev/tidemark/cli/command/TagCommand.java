package dev.tidemark.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.AnswerText;
import dev.tidemark.cli.answer.Question;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.store.FinalTag;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tags the snapshot at which a span of event time became final. */
@Command(
    name = "tag",
    description =
        "Tags the snapshot at which an hour or a day became final, so that it is read as it was"
            + " then. Iceberg only.")
public final class TagCommand extends TableCommand {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(
      index = "1",
      paramLabel = "TIME",
      description = "A day 2026-01-01, an hour 2026-01-01T10, or an instant with its offset.")
  private String time;

  @Option(names = "--zone", description = "Zone of a day or an hour; UTC by default.")
  private ZoneId zone = ZoneOffset.UTC;

  @Option(
      names = "--keep",
      converter = DurationConverter.class,
      description =
          "How long to keep the tag after it became final: 7d, PT12H; by default as the table is"
              + " configured.")
  private @Nullable Duration keep;

  @Option(names = "--name", description = "The tag's name; final-TIME by default.")
  private @Nullable String tag;

  @Override
  void check() {
    question();
  }

  private Question question() {
    return Question.parse(time, zone);
  }

  @Override
  ExitCode run(FinalityTable table) {
    TableFinality finality = table.finality();
    Asked asked = Asked.of(question(), null, finality);
    FinalityAnswer answer = asked.answer();
    boolean reopened = answer instanceof FinalityAnswer.LateReopened;
    if (!reopened && !(answer instanceof FinalityAnswer.Ready)) {
      out()
          .complain(
              "Cannot tag "
                  + time
                  + " of "
                  + table.name()
                  + ": "
                  + AnswerText.line(answer)
                  + " (expected: a span that is final)");
      return AnswerText.exitCode(answer);
    }
    Question span = asked.question();
    FinalTag made = table.tag(name(span), span.startMillis(), span.endMillis(), keep);
    print(table, asked, made);
    if (reopened) {
      out()
          .complain(
              "Note: rows that came after it was final are not in the tag: tidemark late "
                  + table.name());
    }
    return ExitCode.READY;
  }

  private void print(FinalityTable table, Asked asked, FinalTag made) {
    if (isJson()) {
      ObjectNode json = AnswerJson.of(table.name(), asked.question(), asked.answer());
      json.put("tag", made.name()).put("tagSnapshotId", made.snapshotId());
      json.put("finalSince", AnswerJson.time(made.snapshotTimeMillis()));
      json.put("isNew", made.isNew());
      out().json(json);
    } else {
      out()
          .line(
              made.name()
                  + (made.isNew() ? ": tagged" : ": is a tag already, on")
                  + " snapshot "
                  + made.snapshotId()
                  + ", final since "
                  + TimeText.instant(made.snapshotTimeMillis()));
    }
  }

  /** {@code final-2026-01-01T10}; a local one bears its zone, since it is another hour. */
  private String name(Question span) {
    if (tag != null) {
      return tag;
    }
    String text = TimeText.span(span.startMillis(), span.endMillis(), zone);
    boolean isUtc = zone.normalized().equals(ZoneOffset.UTC);
    return "final-"
        + text
        + (isUtc || text.endsWith("Z") ? "" : "@" + zone.getId().replace('/', '-'));
  }
}
