package dev.tidemark.cli.command;

import dev.tidemark.cli.answer.Question;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Says that a bootstrap is complete. */
@Command(
    name = "complete-bootstrap",
    description = "Says that the bootstrap beside the stream is complete.")
public final class CompleteBootstrapCommand extends ChangeCommand {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Every event at or after it is in the table: a day, an hour, or an instant with its"
              + " offset; everything if it is not given.")
  private @Nullable String from;

  @Option(names = "--zone", description = "Zone of a day or an hour; UTC by default.")
  private ZoneId zone = ZoneOffset.UTC;

  @Override
  void check() {
    start();
  }

  private Instant start() {
    return from == null
        ? Instant.EPOCH
        : Instant.ofEpochMilli(Question.parse(from, zone).startMillis());
  }

  @Override
  String change(FinalityTable table, TableFinality before) {
    table.completeBootstrap(start());
    return "Bootstrap completed";
  }
}
