package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.testing.Cli;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestCatalog;
import java.nio.file.Path;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  Table table;

  @BeforeEach
  void create() {
    table = TestCatalog.hadoop(directory).create("events");
  }

  @Test
  void hourBelowTheWatermarkIsReadyAndTheNextIsNot() {
    EventWriter.start(table, "orders").write("10:00", "12:30");
    EventWriter.start(table, "orders").write("12:00");

    assertThat(check("2026-01-01T11")).isEqualTo(new Cli(0, "READY\n", ""));
    assertThat(check("2026-01-01T12").status()).isEqualTo(1);
  }

  @Test
  void tableWithoutFinalizationHasAStatusOfItsOwn() {
    assertThat(check("2026-01-01T11")).isEqualTo(new Cli(4, "UNKNOWN\n", ""));
  }

  @Test
  void tableThatIsNotThereIsNamed() {
    Cli run = Cli.run(directory, "check", "lake.db.nothing", "2026-01-01T11");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("Cannot find table lake.db.nothing");
  }

  private Cli check(String time) {
    return Cli.run(directory, "check", "lake.db.events", time);
  }
}
