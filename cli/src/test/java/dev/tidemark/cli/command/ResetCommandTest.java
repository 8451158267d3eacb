package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.testing.Lake;
import dev.tidemark.iceberg.EventWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is asked before something that consumers notice. */
class ResetCommandTest {
  private final List<String> asked = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Lake lake;

  @BeforeEach
  void rollBack() {
    lake = Lake.hadoop(directory);
    EventWriter writer = EventWriter.start(lake.catalog().create("events"), "w");
    long first = writer.write("10:05").snapshotId();
    writer.write("12:05");
    lake.catalog().load("events").manageSnapshots().rollbackTo(first).commit();
  }

  @Test
  void yesResets() {
    assertThat(reset("y")).isZero();
    assertThat(asked)
        .singleElement()
        .asString()
        .contains("lake.db.events counts no more")
        .contains("final up to 2026-01-01T10:00:00Z");
    assertThat(lake.run("status", "lake.db.events").status()).isZero();
  }

  @Test
  void anythingElseDoesNot() {
    for (String answer : new @Nullable String[] {"n", "", null}) {
      assertThat(reset(answer)).isNotZero();
    }
    assertThat(lake.run("status", "lake.db.events").status()).isEqualTo(5);
  }

  private int reset(@Nullable String answer) {
    CommandLine command =
        new CommandLine(
            new ResetCommand(
                question -> {
                  asked.add(question);
                  return answer;
                }));
    command.setOut(new PrintWriter(Writer.nullWriter()));
    command.setErr(new PrintWriter(Writer.nullWriter()));
    List<String> arguments = new ArrayList<>(List.of("lake.db.events"));
    arguments.addAll(lake.settings());
    return command.execute(arguments.toArray(new String[0]));
  }
}
