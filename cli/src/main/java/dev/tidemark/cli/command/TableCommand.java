package dev.tidemark.cli.command;

import dev.tidemark.cli.ExitCode;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command about one table. */
abstract class TableCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  private CommandSpec spec;

  @Mixin private final TableOptions tables = new TableOptions();

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(index = "0", paramLabel = "TABLE", description = "CATALOG.TABLE")
  private String name;

  @Override
  public Integer call() {
    check();
    return tables.with(name, Clock.systemUTC(), this::run).status();
  }

  /** Checks what was asked before any store is. */
  void check() {}

  abstract ExitCode run(FinalityTable table);

  final Output out() {
    return Output.of(spec);
  }

  final int width() {
    return spec.usageMessage().width();
  }

  final String name() {
    return name;
  }

  final TableOptions tables() {
    return tables;
  }

  final boolean isJson() {
    return tables.isJson();
  }

  /** Says that a table carries no finalization metadata. */
  final ExitCode withoutMetadata(String what) {
    out()
        .complain(
            "Cannot "
                + what
                + " "
                + name
                + ": it carries no finalization metadata (expected: a table that a Tidemark sink"
                + " has written)");
    return ExitCode.NO_METADATA;
  }

  /** Says that a table's claims are revoked and none is left. */
  final ExitCode revoked(String what) {
    out()
        .complain(
            "Cannot "
                + what
                + " "
                + name
                + ": what was published is revoked, and no opinion is left. Why: tidemark explain "
                + name);
    return ExitCode.CHANGED;
  }

  /** Whether a table says nothing at all. */
  static boolean isSilent(TableFinality finality) {
    return finality.opinion() == null && !finality.revoked();
  }
}
