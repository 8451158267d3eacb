package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.AnswerText;
import dev.tidemark.cli.answer.Question;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.await.Pace;
import dev.tidemark.cli.await.Waiting;
import dev.tidemark.cli.await.Waiting.Result;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.cli.store.Stores;
import dev.tidemark.cli.store.TableAddress;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Waits until a span of event time is complete. */
@Command(
    name = "wait",
    description =
        "Waits until an hour or a day of event time is complete: one metadata read a poll.")
public final class WaitCommand implements Callable<Integer> {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private final TableOptions tables = new TableOptions();

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(index = "0", paramLabel = "TABLE", description = "CATALOG.TABLE")
  private String name;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--until",
      required = true,
      paramLabel = "TIME",
      description =
          "What has to be complete: a day 2026-01-01, an hour 2026-01-01T10, or the granule of an"
              + " instant with its offset.")
  private String time;

  @Option(names = "--zone", description = "Zone of a day or an hour; UTC by default.")
  private ZoneId zone = ZoneOffset.UTC;

  @Option(
      names = "--revision",
      description = "The revision that you have read: ready if nothing came after it.")
  private @Nullable Integer revision;

  @Option(
      names = "--timeout",
      converter = DurationConverter.class,
      description = "How long to wait: 30m, 2h, PT30M; 1h by default. 0s asks once.")
  private Duration timeout = Duration.ofHours(1);

  @Option(
      names = "--pause",
      converter = DurationConverter.class,
      description = "The longest pause between two polls, at least 1s; 30s by default.")
  private Duration pause = Duration.ofSeconds(30);

  @Option(
      names = "--grace",
      converter = DurationConverter.class,
      description =
          "How long a read that is under way when the time is up may still take; 30s by default.")
  private Duration grace = Duration.ofSeconds(30);

  private @Nullable FinalityTable open;

  @Override
  public Integer call() throws InterruptedException {
    Question question = Question.parse(time, zone);
    TableAddress address = TableAddress.parse(name);
    Pace pace = new Pace(FIRST_PAUSE, pause, new SplittableRandom());
    Clock clock = Clock.systemUTC();
    Stores stores = new Stores(tables.settings(), clock);
    Supplier<Asked> poll = () -> Asked.of(question, revision, opened(stores, address).finality());
    boolean hangs = false;
    try {
      Result result =
          new Waiting(pace, clock, duration -> Thread.sleep(duration.toMillis()), grace)
              .until(() -> poll.get().answer(), question.startMillis(), timeout);
      hangs = result instanceof Result.Hanging;
      return ended(result, question).status();
    } finally {
      // Closing a store would wait for the read that hangs in it: it ends with the process.
      if (!hangs) {
        stores.close();
      }
    }
  }

  /** Opening may fail like any other poll; once opened, a poll is one read. */
  private FinalityTable opened(Stores stores, TableAddress address) {
    FinalityTable table = open;
    if (table == null) {
      table = stores.table(address);
      open = table;
    }
    return table;
  }

  private ExitCode ended(Result result, Question question) {
    Output out = Output.of(spec);
    if (result instanceof Result.Unreachable unreachable) {
      out.complain(String.valueOf(unreachable.failure().getMessage()));
      return ExitCode.UNREACHABLE;
    }
    if (result instanceof Result.Hanging hanging) {
      out.complain(
          "Cannot read "
              + name
              + ": the store has not answered for "
              + TimeText.duration(hanging.polled())
              + ", and the time is up (expected: an answer; is it up, and does a firewall let its"
              + " answers through?)");
      return ExitCode.UNREACHABLE;
    }
    FinalityAnswer answer =
        result instanceof Result.Settled settled
            ? settled.answer()
            : ((Result.TimedOut) result).last();
    CheckCommand.print(out, name, Asked.of(question, revision, answer.finality()), tables.isJson());
    if (result instanceof Result.TimedOut) {
      out.complain(
          "Timed out: "
              + question.text()
              + " of "
              + name
              + " is not complete after "
              + TimeText.duration(timeout)
              + ". Why: tidemark explain "
              + name);
      return ExitCode.TIMED_OUT;
    }
    return AnswerText.exitCode(answer);
  }
}
