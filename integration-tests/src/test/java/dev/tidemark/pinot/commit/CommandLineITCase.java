package dev.tidemark.pinot.commit;

import static dev.tidemark.pinot.commit.TestLoad.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.quickstart.embedded.pinot.SharedPinot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command line on tables of a real Pinot, as the process that {@code bin/tidemark} starts: with
 * neither Flink nor Pinot on its class path. The rows are of 31 December 2025.
 */
class CommandLineITCase {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final AtomicInteger TABLES = new AtomicInteger();

  @TempDir Path directory;

  private record Ran(int status, String out, String err) {
    JsonNode json() throws Exception {
      return MAPPER.readTree(out);
    }
  }

  @Test
  void commandsAnswerOfAPinotTableAsOfAnyOther() throws Exception {
    TestLoad load = table();
    String name = "metrics." + load.table.nameWithType();
    Ran silent = tidemark("status", name);
    assertThat(silent.status()).as(silent.err()).isEqualTo(4);
    assertThat(tidemark("check", "metrics.nothing_OFFLINE", "2025-12-31").status()).isEqualTo(2);

    Run run = run("cli");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    committer.publish(load.hours(run, 1, false, 1, 2));
    committer.publish(load.hours(run, 2, false, 4, 5));
    committer.publish(load.hours(run, 3, false, 3, 6));

    Ran status = tidemark("status", name);
    assertThat(status.status()).isZero();
    assertThat(status.out()).contains("2025-12-31T04:00:00Z").contains("LATE_DATA");
    assertThat(tidemark("check", name, "2025-12-31T02")).isEqualTo(new Ran(0, "READY\n", ""));
    assertThat(tidemark("check", name, "2025-12-31T03").status()).as("reopened").isEqualTo(5);
    assertThat(tidemark("check", name, "2025-12-31T05").status()).isEqualTo(1);
    Ran wait = tidemark("wait", name, "--until", "2025-12-31T05", "--timeout", "0s", "--json");
    assertThat(wait.status()).isEqualTo(124);
    assertThat(wait.json().path("answer").asText()).isEqualTo("NOT_READY");

    JsonNode history = tidemark("history", name, "--json").json().path("commits");
    assertThat(history).hasSize(3);
    assertThat(history.path(0).path("late").path("rows").asLong()).isEqualTo(1);
    assertThat(history.path(2).path("watermark").asText()).isEqualTo("2025-12-31T01:00:00Z");

    JsonNode why = tidemark("explain", name, "--json").json();
    assertThat(why.path("hold").asText()).isEqualTo("LATE_DATA");
    assertThat(why.path("responsible").path(0).path("name").asText())
        .isEqualTo(history.path(0).path("id").asText());
    assertThat(why.path("responsible").path(1).path("name").asText())
        .isEqualTo("2025-12-31T03:00:00Z");
    assertThat(why.path("since").path("commit").asText())
        .isEqualTo(history.path(0).path("id").asText());

    assertThat(tidemark("late", name).out())
        .isEqualTo(
            name
                + ": final up to 2025-12-31T04:00:00Z, reopened: 1\n"
                + "  2025-12-31T03  final r0, reopened +1 row r1\n");

    Ran tag = tidemark("tag", name, "2025-12-31T02");
    assertThat(tag.status()).isEqualTo(2);
    assertThat(tag.err()).contains("a Pinot table has no snapshots to go back to");
  }

  @Test
  void lostSegmentIsRevokedUntilSomebodyResets() throws Exception {
    TestLoad load = table();
    String name = "metrics." + load.table.nameWithType();
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    PinotCommit first = load.hours(run("lost"), 1, false, 1, 2, 3);
    committer.publish(first);
    load.delete(first.segments().get(1).name());

    assertThat(tidemark("status", name).status()).isEqualTo(5);
    Ran why = tidemark("explain", name);
    assertThat(why.status()).isEqualTo(5);
    assertThat(why.out()).contains("REVOKED").contains("tidemark reset " + name);

    assertThat(tidemark("reset", name).status()).as("not without --yes").isEqualTo(2);
    Ran reset = tidemark("reset", name, "--yes", "--json");
    assertThat(reset.status()).as(reset.err()).isZero();
    assertThat(reset.json().path("epoch").asInt()).isEqualTo(1);
    assertThat(tidemark("status", name).status()).isZero();
  }

  @Test
  void historyIsReplayedAndTuned() throws Exception {
    TestLoad load = table();
    String name = "metrics." + load.table.nameWithType();
    Run run = run("replayed");
    PinotTableCommitter committer = load.committer(load.finalizing(b -> b));
    committer.publish(load.hours(run, 1, false, 1, 2));
    committer.publish(load.hours(run, 2, false, 4, 5));
    committer.publish(load.hours(run, 3, false, 3, 6));

    Ran own = tidemark("replay", name, "--json");
    assertThat(own.status()).as(own.err()).isZero();
    assertThat(own.json().at("/ownPolicyCheck/commits").asInt()).isEqualTo(3);
    assertThat(own.json().at("/ownPolicyCheck/different").asInt()).isZero();
    assertThat(own.json().path("replayed")).isEqualTo(own.json().path("published"));
    assertThat(own.json().at("/published/lateRows").asLong()).isEqualTo(1);

    JsonNode later = tidemark("replay", name, "--policy=bounded-lateness:PT6H", "--json").json();
    assertThat(later.at("/fresherSeconds").asDouble()).isNegative();
    assertThat(later.at("/replayed/lateRows").asLong()).isZero();

    Ran tune = tidemark("tune", name, "--max-late=5%");
    assertThat(tune.status()).as(tune.err()).isEqualTo(1);
    assertThat(tune.out()).contains("TOO SHORT to tell: 3 commits of writers are kept");
  }

  @Test
  void bootstrapIsCompleted() throws Exception {
    TestLoad load = table();
    String name = "metrics." + load.table.nameWithType();
    FinalizationConfig pending =
        FinalizationConfig.forWriter("booting")
            .lookback(1, Duration.ZERO)
            .bootstrapPending()
            .build();
    load.committer(load.plan(b -> b.accumulators(TestLoad.EVENT_TIMES).finalization(pending)))
        .publish(load.hours(run("booting"), 1, false, 4, 5));
    assertThat(tidemark("explain", name, "--json").json().path("hold").asText())
        .isEqualTo("BOOTSTRAP_PENDING");

    Ran done = tidemark("complete-bootstrap", name, "--from", "2025-12-31T01:00:00Z");
    assertThat(done.status()).as(done.err()).isZero();
    assertThat(done.out()).startsWith("Bootstrap completed: " + name + " is final up to");
    assertThat(tidemark("check", name, "2025-12-31T02").out()).isEqualTo("READY\n");
    assertThat(tidemark("check", name, "2025-12-31T00").status()).as("before it").isEqualTo(1);
  }

  @Test
  void writersAreListedAndRetired() throws Exception {
    TestLoad load = table();
    String name = "metrics." + load.table.nameWithType();
    load.committer(load.finalizing(b -> b)).publish(load.hours(run("a"), 1, false, 6, 7));
    load.committer(TidemarkProcess.writerThatLeaves(load))
        .publish(load.hours(run("b"), 1, false, 4));

    JsonNode writers = tidemark("writers", "list", name, "--json").json().path("writers");
    assertThat(writers).hasSize(2);
    assertThat(tidemark("explain", name, "--json").json().path("hold").asText())
        .isEqualTo("WRITER_BEHIND");
    Ran retired = tidemark("writers", "retire", name, "leaves");
    assertThat(retired.status()).as(retired.err()).isZero();
    assertThat(retired.out()).contains("2025-12-31T06:00:00Z");
    assertThat(tidemark("writers", "retire", name, "leaves").status()).isEqualTo(2);
  }

  private Ran tidemark(String... arguments) throws Exception {
    Path out = directory.resolve("out.txt");
    Path err = directory.resolve("err.txt");
    int status = TidemarkProcess.start(out, err, arguments).waitFor();
    return new Ran(status, Files.readString(out), Files.readString(err));
  }

  private TestLoad table() throws Exception {
    String name = "cli_" + TABLES.incrementAndGet();
    return TestLoad.create(
        SharedPinot.get(), Tables.schemaOfU(name), Tables.configOfTimed(name), directory);
  }
}
