package dev.tidemark.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.store.StoreUnreachableException;
import dev.tidemark.cli.store.Stores;
import dev.tidemark.cli.store.TableAddress;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What tables say of their completeness now; the worst of them decides the exit status. */
@Command(name = "status", description = "What tables say of their completeness now.")
public final class StatusCommand implements Callable<Integer> {
  /** The worst first. */
  private static final List<ExitCode> WORST =
      List.of(
          ExitCode.USAGE,
          ExitCode.UNREACHABLE,
          ExitCode.CHANGED,
          ExitCode.NO_METADATA,
          ExitCode.READY);

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private final TableOptions tables = new TableOptions();

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(arity = "1..*", paramLabel = "TABLE", description = "CATALOG.TABLE, one or more")
  private List<String> names;

  /** What one table said, or why it did not. */
  private record Row(
      String name, @Nullable TableFinality finality, ExitCode code, String complaint) {}

  @Override
  public Integer call() {
    List<TableAddress> addresses = names.stream().map(TableAddress::parse).toList();
    List<Row> rows = new ArrayList<>();
    Clock clock = Clock.systemUTC();
    try (Stores stores = new Stores(tables.settings(), clock)) {
      addresses.forEach(address -> rows.add(ask(stores, address)));
    }
    Output out = Output.of(spec);
    if (tables.isJson()) {
      out.json(json(rows));
    } else {
      table(out, rows, clock.millis()).lines(spec.usageMessage().width()).forEach(out::line);
      rows.stream().map(Row::complaint).filter(c -> !c.isEmpty()).forEach(out::complain);
    }
    return WORST.stream()
        .filter(code -> rows.stream().anyMatch(row -> row.code() == code))
        .findFirst()
        .orElse(ExitCode.READY)
        .status();
  }

  /** One that cannot be read does not keep the others from being shown. */
  private static Row ask(Stores stores, TableAddress address) {
    String name = address.toString();
    try {
      TableFinality finality = stores.table(address).finality();
      return new Row(name, finality, exitCode(finality), "");
    } catch (StoreUnreachableException e) {
      return new Row(name, null, ExitCode.UNREACHABLE, String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      return new Row(name, null, ExitCode.USAGE, String.valueOf(e.getMessage()));
    }
  }

  private static ExitCode exitCode(TableFinality finality) {
    if (finality.revoked()) {
      return ExitCode.CHANGED;
    }
    return finality.opinion() == null ? ExitCode.NO_METADATA : ExitCode.READY;
  }

  private static ObjectNode json(List<Row> rows) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode array = json.putArray("tables");
    for (Row row : rows) {
      if (row.finality() == null) {
        array.addObject().put("table", row.name()).put("error", row.complaint());
      } else {
        array.add(AnswerJson.of(row.name(), row.finality()));
      }
    }
    return json;
  }

  private static TextTable table(Output out, List<Row> rows, long nowMillis) {
    TextTable table = new TextTable("TABLE", "FINAL UP TO", "BEHIND", "COMMIT", "STATE");
    for (Row row : rows) {
      TableFinality finality = row.finality();
      Opinion opinion = finality == null ? null : finality.opinion();
      Long watermark = opinion == null ? null : opinion.watermarkMillis();
      table.add(
          state -> out.paint(style(row), state),
          row.name(),
          watermark == null ? "-" : TimeText.instant(watermark),
          watermark == null ? "-" : TimeText.ago(watermark, nowMillis),
          finality == null || finality.snapshotId() == null
              ? "-"
              : TimeText.duration(finality.age()) + " ago",
          state(row));
    }
    return table;
  }

  private static String state(Row row) {
    TableFinality finality = row.finality();
    if (finality == null) {
      return row.code() == ExitCode.UNREACHABLE ? "unreachable" : "not understood";
    }
    if (finality.revoked()) {
      return "REVOKED";
    }
    Opinion opinion = finality.opinion();
    if (opinion == null) {
      return "no finalization metadata";
    }
    String evidence = opinion.watermark().evidence().toString();
    return opinion.hold() == null ? "moved, " + evidence : opinion.hold() + ", " + evidence;
  }

  private static Style style(Row row) {
    if (row.code() != ExitCode.READY) {
      return Style.fg_red;
    }
    Opinion opinion = row.finality() == null ? null : row.finality().opinion();
    return opinion == null || opinion.hold() == null ? Style.fg_green : Style.fg_yellow;
  }
}
