package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What a table says of its completeness now. */
@Command(name = "status", description = "What a table says of its completeness now.")
public final class StatusCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private final TableOptions tables = new TableOptions();

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "TABLE", description = "CATALOG.TABLE")
  private String name;

  @Override
  public Integer call() {
    return tables.with(name, Clock.systemUTC(), this::status);
  }

  private int status(FinalityTable table) {
    TableFinality finality = table.finality();
    Output out = Output.of(spec);
    if (tables.isJson()) {
      out.json(AnswerJson.of(table.name(), finality));
    } else {
      out.line(text(table.name(), finality));
    }
    return exitCode(finality).status();
  }

  private static String text(String name, TableFinality finality) {
    Opinion opinion = finality.opinion();
    return opinion == null
        ? name + ": no finalization metadata"
        : name + ": " + opinion.watermark() + (opinion.hold() == null ? "" : ", " + opinion.hold());
  }

  private static ExitCode exitCode(TableFinality finality) {
    if (finality.revoked()) {
      return ExitCode.CHANGED;
    }
    return finality.opinion() == null ? ExitCode.NO_METADATA : ExitCode.READY;
  }
}
