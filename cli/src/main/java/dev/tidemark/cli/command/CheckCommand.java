package dev.tidemark.cli.command;

import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.AnswerText;
import dev.tidemark.cli.answer.Question;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Clock;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Whether a span of event time is complete. */
@Command(name = "check", description = "Whether an hour or a day of event time is complete now.")
public final class CheckCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private final TableOptions tables = new TableOptions();

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(index = "0", paramLabel = "TABLE", description = "CATALOG.TABLE")
  private String name;

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
  public Integer call() {
    return tables.with(name, Clock.systemUTC(), this::check);
  }

  private int check(FinalityTable table) {
    TableFinality finality = table.finality();
    Question question = Question.parse(time, zone);
    if (finality.opinion() != null) {
      question = question.within(finality.opinion().policy().granularity());
    }
    FinalityAnswer answer = finality.answer(question.startMillis(), question.endMillis(), revision);
    Output out = Output.of(spec);
    if (tables.isJson()) {
      out.json(AnswerJson.of(table.name(), question, answer));
    } else {
      out.line(AnswerText.name(answer));
    }
    return AnswerText.exitCode(answer).status();
  }
}
