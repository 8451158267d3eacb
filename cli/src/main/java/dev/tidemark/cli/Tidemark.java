package dev.tidemark.cli;

import dev.tidemark.cli.command.CheckCommand;
import dev.tidemark.cli.command.CompleteBootstrapCommand;
import dev.tidemark.cli.command.ExplainCommand;
import dev.tidemark.cli.command.HistoryCommand;
import dev.tidemark.cli.command.LateCommand;
import dev.tidemark.cli.command.ReplayCommand;
import dev.tidemark.cli.command.ResetCommand;
import dev.tidemark.cli.command.ServeCommand;
import dev.tidemark.cli.command.StatusCommand;
import dev.tidemark.cli.command.TagCommand;
import dev.tidemark.cli.command.TuneCommand;
import dev.tidemark.cli.command.WaitCommand;
import dev.tidemark.cli.command.WritersCommand;
import dev.tidemark.cli.store.StoreUnreachableException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ScopeType;

/** The command line. Exit statuses: {@link ExitCode}. */
@Command(
    name = "tidemark",
    description = "Says when the data in a table is complete enough to read, and why not.",
    mixinStandardHelpOptions = true,
    versionProvider = TidemarkVersion.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done, or ready",
      "1:not ready",
      "2:not understood, or no such table",
      "3:the store did not answer: try again",
      "4:the table carries no finalization metadata",
      "5:revoked, or reopened by late rows",
      "70:a fault of this program",
      "124:timed out"
    },
    subcommands = {
      StatusCommand.class,
      CheckCommand.class,
      WaitCommand.class,
      HistoryCommand.class,
      ExplainCommand.class,
      LateCommand.class,
      ReplayCommand.class,
      TuneCommand.class,
      ServeCommand.class,
      WritersCommand.class,
      CompleteBootstrapCommand.class,
      ResetCommand.class,
      TagCommand.class
    })
public final class Tidemark {
  private Tidemark() {}

  /** Runs one command and ends the JVM with its exit status. */
  public static void main(String[] arguments) {
    System.exit(run(commandLine(), arguments));
  }

  /**
   * Runs one command. What picocli lets through, an {@link Error} above all, would end the JVM with
   * 1, which means "not ready".
   */
  @SuppressWarnings("CatchingUnchecked") // whatever it is, it is no answer
  public static int run(CommandLine commandLine, String... arguments) {
    try {
      return commandLine.execute(arguments);
    } catch (Throwable fault) {
      PrintWriter err = commandLine.getErr();
      err.println("A fault of tidemark, no answer: " + fault);
      fault.printStackTrace(err);
      err.flush();
      return ExitCode.FAULT.status();
    }
  }

  /** The command line, whose output can be led elsewhere. */
  public static CommandLine commandLine() {
    return new CommandLine(new Tidemark())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(complaining());
  }

  /** One line, not a stack trace: the messages say what to do. */
  private static IExecutionExceptionHandler complaining() {
    return (exception, commandLine, parsed) -> {
      PrintWriter err = commandLine.getErr();
      err.println(exception.getMessage() == null ? exception.toString() : exception.getMessage());
      err.flush();
      if (exception instanceof StoreUnreachableException) {
        return ExitCode.UNREACHABLE.status();
      }
      if (exception instanceof IllegalArgumentException
          || exception instanceof IllegalStateException) {
        return ExitCode.USAGE.status();
      }
      exception.printStackTrace(err);
      err.flush();
      return ExitCode.FAULT.status();
    };
  }
}
