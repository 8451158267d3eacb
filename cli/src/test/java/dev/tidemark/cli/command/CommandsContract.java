package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.cli.testing.Cli;
import dev.tidemark.cli.testing.Lake;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command by its exit status and what it prints, on real tables of a catalog. */
abstract class CommandsContract {
  private static final String EVENTS = "lake.db.events";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Function<Path, Lake> lakes;

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @SuppressWarnings("NullAway.Init") // set before each test
  private Lake lake;

  CommandsContract(Function<Path, Lake> lakes) {
    this.lakes = lakes;
  }

  @BeforeEach
  void create() {
    lake = lakes.apply(directory);
    lake.catalog().create("events");
  }

  @Test
  void statusShowsSeveralTablesAndTheWorstDecides() {
    lake.catalog().create("empty");
    lake.catalog().create("other");
    writer("w").write("10:05");
    EventWriter.start(lake.catalog().load("other"), "w").write("12:05");

    Cli both = lake.run("status", EVENTS, "lake.db.other");
    assertThat(both.status()).isZero();
    assertThat(both.out().lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("TABLE"))
        .anyMatch(line -> line.matches("lake.db.events +2026-01-01T10:00:00Z .* moved, estimate"))
        .anyMatch(line -> line.matches("lake.db.other +2026-01-01T12:00:00Z .* moved, estimate"));
    assertThat(both.out()).as("no colour but on a terminal").doesNotContain("\u001b");

    Cli all = lake.run("status", EVENTS, "lake.db.empty", "lake.db.nothing");
    assertThat(all.status()).isEqualTo(2);
    assertThat(all.out())
        .contains("no finalization metadata")
        .contains("not understood")
        .contains("2026-01-01T10:00:00Z");
    assertThat(all.err()).startsWith("Cannot find table lake.db.nothing: ");
    assertThat(lake.run("status", EVENTS, "lake.db.empty").status()).isEqualTo(4);
  }

  @Test
  void statusOfAWriterThatWaitsForOthersFitsInto80Columns() {
    for (String name : List.of("checkout-eu-west-1", "checkout-us-east-1", "checkout-ap-south-1")) {
      writer(name).write("10:05");
    }
    writer("checkout-eu-west-1").write("13:05");
    Cli run = lake.run("status", EVENTS);
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
    assertThat(run.out())
        .contains("WRITER_BEHIND(", "checkout-ap-south-1", "checkout-us-east-1", "estimate");
  }

  @Test
  void statusAsJsonHasOneMemberPerTable() throws Exception {
    writer("w").write("10:05");
    Cli run = lake.run("status", EVENTS, "lake.db.nothing", "--json");
    JsonNode tables = json(run).path("tables");
    assertThat(tables.path(0).path("watermark").asText()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(tables.path(0).path("writers").path("w").asText()).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(tables.path(1).path("error").asText()).startsWith("Cannot find table");
  }

  @Test
  void checkAnswersByItsStatus() throws Exception {
    EventWriter writer = writer("orders");
    writer.write("12:05");
    writer.write("12:10");

    assertThat(lake.run("check", EVENTS, "2026-01-01T11")).isEqualTo(new Cli(0, "READY\n", ""));
    assertThat(lake.run("check", EVENTS, "2026-01-01T12"))
        .isEqualTo(new Cli(1, "NOT_READY: final up to 2026-01-01T12:00:00Z, INSIDE_GRANULE\n", ""));
    assertThat(lake.run("check", EVENTS, "2026-01-01T20", "--zone", "Asia/Seoul").status())
        .isZero();
    assertThat(lake.run("check", EVENTS, "2026-01-01T21", "--zone", "Asia/Seoul").status())
        .isEqualTo(1);
    JsonNode json = json(lake.run("check", EVENTS, "2026-01-01T11", "--json"));
    assertThat(json.path("answer").asText()).isEqualTo("READY");
    assertThat(json.path("end").asText()).isEqualTo("2026-01-01T12:00:00Z");
  }

  @Test
  void checkOfATableWithoutMetadataAndOfOneThatIsNotThere() {
    assertThat(lake.run("check", EVENTS, "2026-01-01T11")).isEqualTo(new Cli(4, "UNKNOWN\n", ""));
    Cli nothing = lake.run("check", "lake.db.nothing", "2026-01-01T11");
    assertThat(nothing.status()).isEqualTo(2);
    assertThat(nothing.err()).startsWith("Cannot find table lake.db.nothing");
    assertThat(lake.run("check", EVENTS, "eleven").status()).isEqualTo(2);
  }

  @Test
  void revokedAndReopenedHaveAStatusOfTheirOwn() {
    EventWriter writer = writer("w");
    writer.write("12:05");
    writer.write("10:10", "12:10");
    Cli reopened = lake.run("check", EVENTS, "2026-01-01T10");
    assertThat(reopened).isEqualTo(new Cli(5, "LATE_REOPENED: 1 late row, revision 1\n", ""));
    assertThat(lake.run("check", EVENTS, "2026-01-01T10", "--revision", "1").status()).isZero();

    rollBack(0);
    assertThat(lake.run("check", EVENTS, "2026-01-01T11").status()).isEqualTo(5);
    assertThat(lake.run("check", EVENTS, "2026-01-01T11").out()).startsWith("REVOKED");
    for (String command : List.of("status", "explain", "late", "history")) {
      assertThat(lake.run(command, EVENTS).status()).as(command).isEqualTo(5);
    }
    assertThat(lake.run("writers", "list", EVENTS).status()).isEqualTo(5);
  }

  @Test
  void waitEndsWithTheSameStatus() {
    EventWriter writer = writer("w");
    writer.write("12:05");
    writer.write("10:10", "12:10");
    assertThat(await("2026-01-01T11")).isEqualTo(new Cli(0, "READY\n", ""));
    assertThat(await("2026-01-01T20", "--zone", "Asia/Seoul").status()).isZero();
    assertThat(await("2026-01-01T21", "--zone", "Asia/Seoul").status()).isEqualTo(124);
    assertThat(await("2026-01-01T10").status()).isEqualTo(5);
    assertThat(await("2026-01-01T10", "--revision", "1").status()).isZero();
    assertThat(lake.run("wait", EVENTS).status()).as("without --until").isEqualTo(2);

    Cli late = await("2026-01-01T12");
    assertThat(late.status()).isEqualTo(124);
    assertThat(late.out()).startsWith("NOT_READY: final up to 2026-01-01T12:00:00Z");
    assertThat(late.err()).contains("tidemark explain lake.db.events");

    rollBack(0);
    assertThat(await("2026-01-01T11").status()).isEqualTo(5);
  }

  @Test
  void waitForATableWithoutMetadataDoesNotWait() {
    Cli run = lake.run("wait", EVENTS, "--until", "2026-01-01T12", "--timeout", "2h");
    assertThat(run.status()).isEqualTo(4);
  }

  @Test
  void historyListsCommitsNewestFirst() throws Exception {
    EventWriter writer = writer("orders");
    writer.write("10:05", "10:10", "10:30");
    TestFiles.append(table(), TestFiles.of(table(), "09:10"));
    writer.write("09:20", "10:50");

    Cli run = lake.run("history", EVENTS);
    assertThat(run.status()).isZero();
    List<String> lines = run.out().lines().toList();
    assertThat(lines).hasSize(6);
    assertThat(lines.get(1)).contains(" orders ").endsWith("LATE_DATA, late 1,");
    assertThat(lines.get(2)).endsWith("       late of others 1");
    assertThat(lines.get(3)).endsWith("(not ours)");
    assertThat(lines.get(4))
        .contains(" 3 ")
        .contains("  2026-01-01 10:05-10:10-10:30  2026-01-01 10:00  ")
        .endsWith("moved");

    JsonNode json = json(lake.run("history", EVENTS, "--limit", "3", "--json"));
    assertThat(json.path("commits")).hasSize(3);
    JsonNode newest = json.path("commits").path(0);
    assertThat(newest.path("late").path("granules").path("2026-01-01T09:00:00Z").asLong())
        .isEqualTo(1);
    assertThat(newest.path("rows").asLong()).isEqualTo(2);
    assertThat(json.path("commits").path(2).path("min").asText()).isEqualTo("2026-01-01T10:05:00Z");
    assertThat(lake.run("history", EVENTS, "--limit", "0").status()).isEqualTo(2);
  }

  @Test
  void historyFitsAWideTerminal() throws Exception {
    FinalizationConfig config =
        FinalizationConfig.forWriter("a-writer-whose-name-is-as-long-as-a-name-may-be-0123456789")
            .readFromBeginning()
            .lookback(1, Duration.ZERO)
            .build();
    EventWriter writer = EventWriter.start(table(), config);
    writer.write("10:05", "10:10", "10:30");
    for (String other : List.of("another-writer-one", "another-writer-two", "another-three")) {
      EventWriter.start(table(), other);
    }
    writer.write(
        List.of(
            TestFiles.at("09:20"), TestFiles.at("12:50"), TestFiles.at("12:50") + 172_800_000L));

    Cli run = lake.run("history", EVENTS);
    assertThat(run.out().lines())
        .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(120));
    assertThat(run.out())
        .contains(" 2026-01-01 09:20-12:50-12:50+2d ")
        .contains("WRITER_BEHIND(")
        .contains("  a-writer-wh…  ");
    String id = Long.toString(table().currentSnapshot().snapshotId());
    assertThat(run.out()).contains("  " + id.substring(0, 7) + "…  ").doesNotContain(id);
    JsonNode json = json(lake.run("history", EVENTS, "--json"));
    assertThat(json.path("commits").path(0).path("id").asText()).isEqualTo(id);
  }

  @Test
  void historyOfAHealthyTableWhoseNewestCommitsAreOfOthersIsNoComplaint() {
    assertThat(lake.run("history", EVENTS).status()).as("nobody's table").isEqualTo(4);
    writer("w").write("12:05");
    TestFiles.append(table(), TestFiles.of(table(), "12:10"));
    TestFiles.append(table(), TestFiles.of(table(), "12:20"));

    Cli run = lake.run("history", EVENTS, "--limit", "2");
    assertThat(run.status()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines()).hasSize(3).filteredOn(l -> l.endsWith("(not ours)")).hasSize(2);
  }

  @Test
  void explainSaysWhoAndSinceWhenAndWhatWouldMoveIt() throws Exception {
    assertThat(lake.run("explain", EVENTS).status()).isEqualTo(4);
    EventWriter writer = writer("orders");
    writer.write("10:05");
    writer.write("10:50");

    Cli run = lake.run("explain", EVENTS);
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .startsWith("lake.db.events\nfinal    up to 2026-01-01T10:00:00Z (estimate, from 1970-")
        .contains("\nstate    INSIDE_GRANULE\n")
        .contains("\nwhy      The candidate")
        .contains("\nwho      commit ")
        .contains("\nmoves it ");
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
    assertThat(json(lake.run("explain", EVENTS, "--json")).path("hold").asText())
        .isEqualTo("INSIDE_GRANULE");

    writer.write("12:05");
    rollBack(0);
    Cli revoked = lake.run("explain", EVENTS);
    assertThat(revoked.status()).isEqualTo(5);
    assertThat(revoked.out()).contains("REVOKED").contains("tidemark reset");
    assertThat(json(lake.run("explain", EVENTS, "--json")).path("state").asText())
        .isEqualTo("REVOKED");
  }

  @Test
  void lateListsRevisions() throws Exception {
    assertThat(lake.run("late", EVENTS).status()).isEqualTo(4);
    EventWriter writer = writer("w");
    writer.write("12:05");
    writer.write("10:10", "10:20", "12:10");
    writer.write("10:30", "12:20");
    TestFiles.append(table(), TestFiles.of(table(), "11:10"));

    Cli run = lake.run("late", EVENTS);
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """
            lake.db.events: final up to 2026-01-01T12:00:00Z, reopened: 2
              2026-01-01T10  final r0, reopened +2 rows r1, +1 row r2
              2026-01-01T11  final r0, reopened +1 row r1 (at most, by somebody else)
            """);
    assertThat(lake.run("late", EVENTS, "--zone", "Asia/Seoul").out()).contains("2026-01-01T19");
    assertThat(json(lake.run("late", EVENTS, "--json")).path("granules")).hasSize(2);
  }

  @Test
  void writersAreListedAndRetired() throws Exception {
    writer("orders").write("12:05");
    writer("returns").write("13:05");
    writer("gone");

    Cli list = lake.run("writers", "list", EVENTS);
    assertThat(list.status()).isZero();
    assertThat(list.out().lines()).hasSize(4).anyMatch(line -> line.matches("gone +none .*"));
    assertThat(json(lake.run("writers", "list", EVENTS, "--json")).path("writers")).hasSize(3);

    Cli retired = lake.run("writers", "retire", EVENTS, "gone");
    assertThat(retired.status()).isZero();
    assertThat(retired.out())
        .startsWith("Retired gone: lake.db.events is final up to 2026-01-01T12:00:00Z");
    Cli nobody = lake.run("writers", "retire", EVENTS, "nobody");
    assertThat(nobody.status()).isEqualTo(2);
    assertThat(nobody.err()).startsWith("Cannot retire writer \"nobody\"");
    assertThat(lake.run("writers").status()).isEqualTo(2);
  }

  @Test
  void tableThatWasRolledBackToBeforeItsFirstOpinionIsRevokedForEveryCommand() {
    TestFiles.append(table(), TestFiles.of(table(), "07:05"));
    writer("w").write("12:05");
    rollBack(0);

    for (String command : List.of("status", "explain", "late", "history")) {
      assertThat(lake.run(command, EVENTS).status()).as(command).isEqualTo(5);
    }
    assertThat(lake.run("check", EVENTS, "2026-01-01T11").status()).isEqualTo(5);
    assertThat(lake.run("writers", "list", EVENTS).status()).isEqualTo(5);
    assertThat(await("2026-01-01T11").status()).isEqualTo(5);
    Cli reset = lake.run("reset", EVENTS, "--yes");
    assertThat(reset.status()).isEqualTo(2);
    assertThat(reset.err()).contains("carries no opinion");
  }

  @Test
  void bootstrapIsCompleted() {
    EventWriter.start(
            table(),
            FinalizationConfig.forWriter("w").lookback(1, Duration.ZERO).bootstrapPending().build())
        .write("10:05");
    assertThat(lake.run("check", EVENTS, "2026-01-01T08").status()).isEqualTo(1);

    Cli run = lake.run("complete-bootstrap", EVENTS, "--from", "2026-01-01");
    assertThat(run.status()).isZero();
    assertThat(run.out()).startsWith("Bootstrap completed: lake.db.events is final up to");
    assertThat(lake.run("check", EVENTS, "2025-12-31T23").status()).isEqualTo(1);
  }

  @Test
  void resetAcceptsARollbackIfItIsMeant() throws Exception {
    assertThat(lake.run("reset", EVENTS, "--yes").status()).isEqualTo(4);
    EventWriter writer = writer("w");
    writer.write("10:05");
    writer.write("12:05");
    rollBack(1);

    Cli unasked = lake.run("reset", EVENTS);
    assertThat(unasked.status()).isEqualTo(2);
    assertThat(unasked.err()).contains("(expected: --yes)");
    assertThat(lake.run("status", EVENTS).status()).isEqualTo(5);

    Cli reset = lake.run("reset", EVENTS, "--yes", "--json");
    assertThat(json(reset).path("epoch").asInt()).isEqualTo(1);
    assertThat(lake.run("status", EVENTS).status()).isZero();
    assertThat(lake.run("check", EVENTS, "2026-01-01T09").status()).isZero();
  }

  @Test
  void tagShowsTheTableAsItWasWhenTheHourBecameFinal() throws Exception {
    EventWriter writer = writer("w");
    writer.write("10:05");
    long final10 = writer.write("11:05").snapshotId();
    writer.write("10:30", "12:05");

    Cli first = lake.run("tag", EVENTS, "2026-01-01T10", "--keep", "7d");
    assertThat(first.status()).isZero();
    assertThat(first.out()).startsWith("final-2026-01-01T10: tagged snapshot " + final10);
    assertThat(first.err()).contains("rows that came after it was final are not in the tag");
    Table table = table();
    SnapshotRef ref = Objects.requireNonNull(table.refs().get("final-2026-01-01T10"));
    assertThat(ref.snapshotId()).isEqualTo(final10);
    assertThat(ref.isTag()).isTrue();
    assertThat(ref.maxRefAgeMs()).isEqualTo(Duration.ofDays(7).toMillis());
    try (var files = table.newScan().useRef("final-2026-01-01T10").planFiles()) {
      assertThat(files).as("the late file is not read").hasSize(2);
    }

    Cli again = lake.run("tag", EVENTS, "2026-01-01T10", "--json");
    assertThat(again.status()).isZero();
    assertThat(json(again).path("isNew").asBoolean()).isFalse();
    assertThat(json(again).path("tagSnapshotId").asText()).isEqualTo(Long.toString(final10));
  }

  @Test
  void tagOfALocalHourBearsItsZone() {
    writer("w").write("12:05");
    Cli run = lake.run("tag", EVENTS, "2026-01-01T10", "--zone", "Asia/Seoul");
    assertThat(run.out()).startsWith("final-2026-01-01T10@Asia-Seoul: tagged");
  }

  @Test
  void whatIsNotFinalIsNotTagged() {
    assertThat(lake.run("tag", EVENTS, "2026-01-01T10").status()).isEqualTo(4);
    writer("w").write("10:05");
    Cli run = lake.run("tag", EVENTS, "2026-01-01T10");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("Cannot tag 2026-01-01T10 of lake.db.events: NOT_READY");
    assertThat(table().refs()).doesNotContainKey("final-2026-01-01T10");
  }

  @Test
  void hourWhoseSnapshotHasExpiredIsNotTagged() {
    EventWriter writer = writer("w");
    writer.write("11:05");
    writer.write("12:05");
    table()
        .expireSnapshots()
        .expireOlderThan(System.currentTimeMillis() + 1)
        .retainLast(1)
        .cleanExpiredFiles(false)
        .commit();

    Cli run = lake.run("tag", EVENTS, "2026-01-01T10");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("Cannot tag final-2026-01-01T10 on lake.db.events: the snapshot at which it")
        .contains("has expired");
  }

  @Test
  void tagThatMeansSomethingElseIsNotMoved() {
    EventWriter writer = writer("w");
    writer.write("11:05");
    long other = writer.write("12:05").snapshotId();
    table().manageSnapshots().createTag("final-2026-01-01T10", other).commit();
    Cli run = lake.run("tag", EVENTS, "2026-01-01T10");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("shows snapshot " + other);
    assertThat(lake.run("tag", EVENTS, "2026-01-01T10", "--name", "mine").status()).isZero();
  }

  @Test
  void anotherBranchIsReadAndNotChanged() {
    EventWriter.start(table(), EventWriter.config("w").build(), plan -> plan.branch("audit"))
        .write("12:05");
    assertThat(lake.run("check", EVENTS, "2026-01-01T11", "-clake.branch=audit").status()).isZero();
    Cli run = lake.run("writers", "retire", EVENTS, "w", "-clake.branch=audit");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("reads branch audit (expected: main");
  }

  @Test
  void metadataOfANewerFormatIsNotTakenForAnAnswer() {
    writer("w").write("12:05");
    table()
        .newAppend()
        .set("finalization.format", "2")
        .set("finalization.policy", "min;1;PT0S;PT1H")
        .commit();
    Cli run = lake.run("check", EVENTS, "2026-01-01T11");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("upgrade this reader");
  }

  private Cli await(String time, String... more) {
    String[] all = new String[6 + more.length];
    System.arraycopy(
        new String[] {"wait", EVENTS, "--until", time, "--timeout", "0s"}, 0, all, 0, 6);
    System.arraycopy(more, 0, all, 6, more.length);
    return lake.run(all);
  }

  private EventWriter writer(String name) {
    return EventWriter.start(table(), name);
  }

  private Table table() {
    return lake.catalog().load("events");
  }

  /** The table goes back to when it had so many commits after the registration of its writer. */
  private void rollBack(int commits) {
    Table table = table();
    long first = table.history().get(commits).snapshotId();
    table.manageSnapshots().rollbackTo(first).commit();
    assertThat(Map.copyOf(table.properties())).containsKey("finalization.watermark-ms");
  }

  private static JsonNode json(Cli run) throws JsonProcessingException {
    return MAPPER.readTree(run.out());
  }
}
