package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.explain.Explainer;
import dev.tidemark.cli.explain.Explanation;
import dev.tidemark.cli.explain.ExplanationJson;
import dev.tidemark.cli.explain.Responsible;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;

/** Why a watermark stands where it stands. */
@Command(
    name = "explain",
    description = "Why the watermark stands where it stands, since when, and what would move it.")
public final class ExplainCommand extends TableCommand {
  @Override
  ExitCode run(FinalityTable table) {
    TableFinality finality = table.finality();
    List<String> revocation = finality.revoked() ? table.revocation() : List.of();
    Explanation explanation =
        Explainer.explain(table.name(), finality, table.commits(), revocation);
    if (isJson()) {
      out().json(ExplanationJson.of(explanation));
    } else {
      print(explanation);
    }
    return switch (explanation.state()) {
      case REVOKED -> ExitCode.CHANGED;
      case UNKNOWN -> ExitCode.NO_METADATA;
      case MOVED, HELD -> ExitCode.READY;
    };
  }

  private void print(Explanation explanation) {
    Opinion opinion = explanation.opinion();
    out().line(explanation.table());
    if (opinion != null) {
      line(
          "final",
          "up to "
              + TimeText.instant(opinion.watermarkMillis())
              + " ("
              + opinion.watermark().evidence()
              + ", from "
              + TimeText.instant(opinion.watermark().fromMillis())
              + ")");
    }
    out().line("state    " + out().paint(style(explanation.state()), state(explanation)));
    line("why", explanation.summary());
    Explanation.Since since = explanation.since();
    Explanation.Since standsSince = explanation.standsSince();
    if (since != null) {
      line("since", text(since));
    }
    if (standsSince != null && !standsSince.equals(since)) {
      line("stands", "final up to the same time since " + text(standsSince));
    }
    lines("who", explanation.responsible().stream().map(Responsible::text).toList());
    lines("moves it", explanation.moves());
    lines("note", explanation.notes());
  }

  private static String text(Explanation.Since since) {
    return (since.isOldestRead() ? "at least " : "")
        + TimeText.instant(since.timeMillis())
        + ", commit "
        + since.commit();
  }

  private static String state(Explanation explanation) {
    Opinion opinion = explanation.opinion();
    boolean held = explanation.state() == Explanation.State.HELD;
    return held && opinion != null
        ? String.valueOf(opinion.hold())
        : explanation.state().toString();
  }

  private static Style style(Explanation.State state) {
    return switch (state) {
      case MOVED -> Style.fg_green;
      case HELD -> Style.fg_yellow;
      case REVOKED, UNKNOWN -> Style.fg_red;
    };
  }

  private void lines(String label, List<String> texts) {
    String once = label;
    for (String text : texts) {
      line(once, text);
      once = "";
    }
  }

  private void line(String label, String text) {
    Wrapped.lines(label, text, width()).forEach(out()::line);
  }
}
