package dev.tidemark.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.Counted;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.WriterState;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Lists the registered writers. */
@Command(name = "list", description = "Lists them, with how far each has come.")
public final class ListWritersCommand extends TableCommand {
  @Override
  ExitCode run(FinalityTable table) {
    TableFinality finality = table.finality();
    Opinion opinion = finality.opinion();
    if (opinion == null) {
      String what = "list the writers of";
      return finality.revoked() ? revoked(what) : withoutMetadata(what);
    }
    if (isJson()) {
      out().json(json(table.name(), opinion.writers()));
    } else {
      print(opinion.writers());
    }
    return finality.revoked() ? ExitCode.CHANGED : ExitCode.READY;
  }

  private void print(SortedMap<String, WriterState> writers) {
    TextTable text = new TextTable("WRITER", "FINAL UP TO", "WINDOW", "NEWEST COMMIT", "POLICY");
    writers.forEach(
        (name, state) ->
            text.add(
                name,
                TimeText.instant(state.watermarkMillis()),
                Counted.of(state.window().commits(), "commit"),
                TimeText.instant(newest(state.window())),
                state.statistic()));
    text.lines().forEach(out()::line);
  }

  private static ObjectNode json(String table, SortedMap<String, WriterState> writers) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", table);
    ArrayNode array = json.putArray("writers");
    writers.forEach(
        (name, state) ->
            array
                .addObject()
                .put("writer", name)
                .put("watermark", AnswerJson.time(state.watermarkMillis()))
                .put("evidence", state.evidence().toString())
                .put("policy", state.statistic())
                .put("windowCommits", state.window().commits())
                .put("newestCommitTime", AnswerJson.time(newest(state.window())))
                .put("highestEvent", AnswerJson.time(state.highestMillis())));
    return json;
  }

  /** Of those with stream records. */
  private static @Nullable Long newest(CommitWindow window) {
    return window.total() == 0 ? null : Long.valueOf(window.newestMillis());
  }
}
