package dev.tidemark.cli.command;

import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes a writer out of the count. */
@Command(
    name = "retire",
    description =
        "Takes a writer that will not come back out of the count; one that commits all the same"
            + " registers again.")
public final class RetireWriterCommand extends ChangeCommand {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(index = "1", paramLabel = "WRITER", description = "Its name.")
  private String writer;

  @Override
  String change(FinalityTable table, TableFinality before) {
    table.retire(writer);
    return "Retired " + writer;
  }
}
