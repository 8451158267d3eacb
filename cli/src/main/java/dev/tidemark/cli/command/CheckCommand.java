package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.AnswerText;
import dev.tidemark.cli.answer.Question;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Whether a span of event time is complete. */
@Command(name = "check", description = "Whether an hour or a day of event time is complete now.")
public final class CheckCommand extends TableCommand {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(
      index = "1",
      paramLabel = "TIME",
      description = "A day 2026-01-01, an hour 2026-01-01T10, or an instant with its offset.")
  private String time;

  @Option(names = "--zone", description = "Zone of a day or an hour; UTC by default.")
  private ZoneId zone = ZoneOffset.UTC;

  @Option(
      names = "--revision",
      description = "The revision that you have read: ready if nothing came after it.")
  private @Nullable Integer revision;

  @Override
  void check() {
    question();
  }

  private Question question() {
    return Question.parse(time, zone);
  }

  @Override
  ExitCode run(FinalityTable table) {
    Asked asked = Asked.of(question(), revision, table.finality());
    print(out(), table.name(), asked, isJson());
    return AnswerText.exitCode(asked.answer());
  }

  static void print(Output out, String table, Asked asked, boolean json) {
    FinalityAnswer answer = asked.answer();
    if (json) {
      out.json(AnswerJson.of(table, asked.question(), answer));
    } else {
      out.line(AnswerText.line(answer));
    }
  }
}
