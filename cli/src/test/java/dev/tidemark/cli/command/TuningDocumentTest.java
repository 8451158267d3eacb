package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.testing.Cli;
import dev.tidemark.cli.testing.FlightTable;
import dev.tidemark.iceberg.TestCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Writes the examples of {@code docs/tuning.md} from all flights in a real table. */
@EnabledIfSystemProperty(named = TuningDocumentTest.DOCUMENT, matches = ".+")
class TuningDocumentTest {
  static final String DOCUMENT = "tidemark.test.tuning";
  private static final String BEGIN = "<!-- examples: written by TuningDocumentTest -->\n";
  private static final String END = "<!-- end of examples -->\n";

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void writesTheExamples() throws IOException {
    FlightTable.write(TestCatalog.hadoop(directory), "flights", Integer.MAX_VALUE);
    StringBuilder examples = new StringBuilder(BEGIN);
    add(examples, "replay", "lake.db.flights", "--policy", "quantile:0.05", "--lookback", "6");
    add(examples, "tune", "lake.db.flights", "--max-late", "1%", "--behind", "events");
    examples.append(END);

    Path document = Path.of(System.getProperty(DOCUMENT));
    String text = Files.readString(document);
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END);
    assertThat(begin).as("where the examples begin").isPositive();
    assertThat(end).as("where the examples end").isGreaterThan(begin);
    Files.writeString(
        document, text.substring(0, begin) + examples + text.substring(end + END.length()));
  }

  private void add(StringBuilder examples, String... command) {
    Cli run = Cli.run(directory, command);
    assertThat(run.err()).isEmpty();
    examples.append("\n```\n$ tidemark ").append(String.join(" ", command)).append('\n');
    examples.append(run.out()).append("```\n");
  }
}
