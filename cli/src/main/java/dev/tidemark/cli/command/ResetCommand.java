package dev.tidemark.cli.command;

import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Accepts a rollback. */
@Command(
    name = "reset",
    description =
        "Says that what is gone is meant to be gone: what the table holds counts again, in a new"
            + " epoch. Tell those who have read more.")
public final class ResetCommand extends ChangeCommand {
  private final Confirmation confirmation;

  @Option(names = "--yes", description = "Do not ask; needed where there is no terminal.")
  private boolean yes;

  /** Asks at the terminal. */
  public ResetCommand() {
    this(Confirmation.console());
  }

  ResetCommand(Confirmation confirmation) {
    this.confirmation = confirmation;
  }

  @Override
  String change(FinalityTable table, TableFinality before) {
    if (!yes) {
      confirm(table.name(), before);
    }
    table.reset();
    return "Reset";
  }

  private void confirm(String table, TableFinality before) {
    String question =
        (before.revoked()
                ? "What was published of "
                : "Nothing is revoked. All the same, what was published of ")
            + table
            + " counts no more, and what it holds does: final up to "
            + TimeText.instant(before.opinion() == null ? null : before.opinion().watermarkMillis())
            + ". Reset? [y/N]";
    String answer = confirmation.ask(question);
    boolean meant = answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    if (!meant) {
      throw new IllegalArgumentException(
          answer == null
              ? "Cannot reset " + table + " without a terminal to ask at (expected: --yes)"
              : "Did not reset " + table);
    }
  }
}
