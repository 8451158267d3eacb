package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.late.LateLedger;
import dev.tidemark.cli.late.LateText;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.ZoneId;
import java.time.ZoneOffset;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Which final hours got rows afterwards. */
@Command(
    name = "late",
    description = "Late rows per hour that had been final, with the revisions they made.")
public final class LateCommand extends TableCommand {
  @Option(names = "--zone", description = "Zone to show hours and days in; UTC by default.")
  private ZoneId zone = ZoneOffset.UTC;

  @Override
  ExitCode run(FinalityTable table) {
    TableFinality finality = table.finality();
    Opinion opinion = finality.opinion();
    if (opinion == null) {
      return finality.revoked()
          ? revoked("list late rows of")
          : withoutMetadata("list late rows of");
    }
    LateLedger ledger = LateLedger.of(table.name(), finality, opinion, table.commits());
    if (isJson()) {
      out().json(LateText.json(ledger));
    } else {
      LateText.lines(ledger, zone).forEach(out()::line);
    }
    return finality.revoked() ? ExitCode.CHANGED : ExitCode.READY;
  }
}
