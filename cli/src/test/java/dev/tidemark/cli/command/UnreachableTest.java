package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.cli.testing.Cli;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that do not answer, and settings that cannot be right. */
class UnreachableTest {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  private String closed = "";

  @BeforeEach
  void findAPortThatNobodyListensTo() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      closed = "http://127.0.0.1:" + socket.getLocalPort();
    }
  }

  @Test
  void restCatalogOnAClosedPort() {
    Cli run = rest("check", "lake.db.t", "2026-01-01");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err()).startsWith("Cannot open catalog lake: ");
    assertThat(rest("wait", "lake.db.t", "--until", "2026-01-01", "--timeout", "0s").status())
        .isEqualTo(3);
    for (String command : List.of("history", "explain", "late")) {
      assertThat(rest(command, "lake.db.t").status()).as(command).isEqualTo(3);
    }
  }

  @Test
  void pinotOnAClosedPort() {
    Cli run = pinot("check", "metrics.t_OFFLINE", "2026-01-01");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err())
        .startsWith("Cannot ask for metrics.t_OFFLINE: ")
        .as("it was tried, once")
        .contains("failed 1 times")
        .contains("ConnectException");
    assertThat(pinot("reset", "metrics.t_OFFLINE", "--yes").status()).isEqualTo(3);
  }

  @Test
  void databaseThatCannotBeOpened() {
    Cli run =
        Cli.run(
            List.of(
                "check",
                "lake.db.t",
                "2026-01-01",
                "-clake.type=jdbc",
                "-clake.uri=jdbc:sqlite:" + directory.resolve("missing/catalog.db"),
                "-clake.warehouse=" + directory));
    assertThat(run.status()).isEqualTo(3);
  }

  @Test
  void readingCreatesNothingInADatabase() {
    Cli run =
        Cli.run(
            List.of(
                "check",
                "lake.db.t",
                "2026-01-01",
                "-clake.type=jdbc",
                "-clake.uri=jdbc:sqlite:" + directory.resolve("typo.db"),
                "-clake.warehouse=" + directory));
    assertThat(run.status()).isEqualTo(3);
    assertThat(directory.resolve("typo.db").toFile().length()).isZero();
  }

  @Test
  void oneOfSeveralTablesDoesNotHideTheOthers() throws Exception {
    Cli run = rest("status", "lake.db.t", "lake.db.u", "--json");
    assertThat(run.status()).isEqualTo(3);
    assertThat(new ObjectMapper().readTree(run.out()).path("tables")).hasSize(2);
  }

  @Test
  void missingPropertiesAreNoReasonToTryAgain() {
    assertThat(Cli.run(List.of("check", "lake.db.t", "2026-01-01", "-clake.type=jdbc")).status())
        .isEqualTo(2);
    assertThat(Cli.run(List.of("check", "m.t_OFFLINE", "2026-01-01", "-cm.type=pinot")).status())
        .isEqualTo(2);
    Cli unknown = Cli.run(List.of("check", "sea.db.t", "2026-01-01"));
    assertThat(unknown.status()).isEqualTo(2);
    assertThat(unknown.err()).startsWith("Unknown catalog: \"sea\"");
  }

  @Test
  void waitForAStoreThatTakesTheQuestionAndNeverAnswersEndsWithTheTime() throws IOException {
    try (ServerSocket silent = new ServerSocket(0)) {
      Cli run =
          Cli.run(
              List.of(
                  "wait",
                  "lake.db.t",
                  "--until",
                  "2026-01-01",
                  "--timeout",
                  "1s",
                  "--grace",
                  "0s",
                  "-clake.type=rest",
                  "-clake.uri=http://127.0.0.1:" + silent.getLocalPort()));
      assertThat(run.status()).isEqualTo(3);
      assertThat(run.err()).startsWith("Cannot read lake.db.t: the store has not answered for ");
    }
  }

  private Cli rest(String... arguments) {
    return run(List.of("-clake.type=rest", "-clake.uri=" + closed), arguments);
  }

  private Cli pinot(String... arguments) {
    return run(List.of("-cmetrics.type=pinot", "-cmetrics.controller=" + closed), arguments);
  }

  private static Cli run(List<String> settings, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(settings);
    return Cli.run(all);
  }
}
