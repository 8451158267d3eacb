package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;

/** A command that changes what a table says, and shows what it says afterwards. */
abstract class ChangeCommand extends TableCommand {
  @Override
  final ExitCode run(FinalityTable table) {
    TableFinality before = table.finality();
    if (isSilent(before)) {
      return withoutMetadata("change");
    }
    String done = change(table, before);
    TableFinality after = table.finality();
    if (isJson()) {
      out().json(AnswerJson.of(table.name(), after));
      return ExitCode.READY;
    }
    Opinion opinion = after.opinion();
    out()
        .line(
            done
                + ": "
                + table.name()
                + " is final up to "
                + TimeText.instant(opinion == null ? null : opinion.watermarkMillis())
                + (opinion == null || opinion.hold() == null ? "" : ", " + opinion.hold()));
    return ExitCode.READY;
  }

  /**
   * Makes the change.
   *
   * @return what was done, in a few words
   */
  abstract String change(FinalityTable table, TableFinality before);
}
