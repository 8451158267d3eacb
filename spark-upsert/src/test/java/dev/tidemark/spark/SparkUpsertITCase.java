package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands, what they print, and their exit status. */
class SparkUpsertITCase {
  private final StringBuilder printed = new StringBuilder();

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void commandsOfADay() throws Exception {
    TestLake lake = TestLake.jdbc(directory);
    TestLedger ledger = TestLedger.create(lake, "ledger", 2);
    TestBase base = TestBase.create(lake, "orders", 2, "merge-on-read");
    TestBase other = TestBase.create(lake, "other", 2, "merge-on-read");
    ledger.append(upTo("11:00"), insert(1, 1, "state", "a", "amount", "1.00"));
    for (TestBase table : List.of(base, other)) {
      assertThat(run("merge", "--base", name(table), "--ledgers", ledger.name().toString()))
          .isZero();
    }
    assertThat(output()).contains("merged 1 changes with 0 exchanges").contains("11:00:00Z");

    String history = lake.table("history").toString();
    assertThat(
            run(
                "compare",
                "--base",
                name(base),
                "--reference",
                name(other),
                "--key",
                "id",
                "--history",
                history))
        .isZero();
    assertThat(output()).contains("CLEAN");
    TestSession.get().sql("UPDATE " + other.name().sql() + " SET state = 'b'");
    assertThat(run("compare", "--base", name(base), "--reference", name(other), "--key", "id"))
        .isEqualTo(1);
    assertThat(run("clean-days", "--base", name(base), "--history", history, "--days", "1"))
        .isZero();
    assertThat(run("clean-days", "--base", name(base), "--history", history)).isEqualTo(1);
    assertThat(run("compact", "--ledger", ledger.name().toString())).isZero();
    assertThat(run("expire", "--ledger", ledger.name().toString(), "--bases", name(base))).isZero();
    assertThat(run("expire-base", "--base", name(base), "--keep", "P1D")).isZero();
    assertThat(run("purge", "--base", name(base), "--before", "2026-01-01T00:00:00Z")).isZero();
  }

  @Test
  void viewIsSwappedAndSwappedBack() throws Exception {
    TestLake lake = TestLake.jdbc(directory);
    TestBase base = TestBase.create(lake, "orders", 2, "merge-on-read");
    TestBase other = TestBase.create(lake, "other", 2, "merge-on-read");
    String view = lake.table("reading").toString();
    assertThat(run("swap-view", "--view", view, "--to-table", name(other))).isZero();
    assertThat(run("swap-view", "--view", view, "--to-base", name(base))).isZero();
    assertThat(TestSession.get().table(view).columns()).containsExactly("id", "state", "amount");
    assertThat(run("swap-view", "--view", view)).isZero();
    assertThat(TestSession.get().table(view).columns()).contains("cdc_ord");
    String shown = "SELECT * FROM " + lake.table("other").sql();
    assertThat(output()).endsWith(view + " shows: " + shown + "\n");
    assertThat(run("swap-view", "--view", view)).as("sent again").isZero();
    assertThat(output()).endsWith(view + " shows already what it showed before: " + shown + "\n");
    assertThat(TestSession.get().table(view).columns()).contains("cdc_ord");
  }

  @Test
  void criticalViewWaitsForThoseBeforeIt() throws Exception {
    TestLake lake = TestLake.jdbc(directory);
    TestBase base = TestBase.create(lake, "orders", 2, "merge-on-read");
    TestBase other = TestBase.create(lake, "other", 2, "merge-on-read");
    String canary = lake.table("canary").toString();
    String reports = lake.table("reports").toString();
    String billing = lake.table("billing").toString();
    for (String view : List.of(canary, reports, billing)) {
      assertThat(run("swap-view", "--view", view, "--to-base", name(other))).isZero();
    }
    assertThat(run("swap-view", "--view", canary, "--to-base", name(base))).isZero();
    String[] swap = {
      "swap-view", "--view", billing, "--to-base", name(base), "--after", canary + "," + reports
    };
    assertThat(run(swap)).isEqualTo(1);
    assertThat(output())
        .endsWith(
            "Failed: Cannot swap view %s to %s: [%s] do not show it (expected: views that --after names are swapped before)\n"
                .formatted(billing, name(base), reports));
    assertThat(run("swap-view", "--view", reports, "--to-base", name(base))).isZero();
    assertThat(run(swap)).isZero();
    assertThat(output()).containsPattern(billing + " shows: .*`orders`");

    assertThat(run("swap-view", "--view", canary)).isZero();
    assertThat(run("swap-view", "--view", billing)).isZero();
    assertThat(output()).containsPattern(billing + " shows: .*`other`.*\n$");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nonsense                                    | Unknown command: "nonsense" (expected: merge,
          merge                                       | Missing argument: --base
          merge --base                                | Invalid argument: --base (expected: --name value
          merge --base lake.orders --ledgers a.b.c    | Invalid argument: --base lake.orders (expected: catalog.namespace.table)
          merge --base a.b.c --ledgers x              | Invalid argument: --ledgers x (expected: catalog.namespace.table,
          merge --base a.b.c --ledgers ,              | Invalid argument: --ledgers: Cannot merge into a.b.c: no ledger
          merge --base a.b.c --ledgers l.d.x,m.d.x    | two ledgers have one name
          merge --base a.b.c --ledgers a.b.d --truncate perhaps        | Invalid argument: --truncate perhaps (expected: ignore or apply)
          merge --base a.b.c --ledgers a.b.d --compact-min-files 1     | Invalid argument: --compact-min-files 1 (expected: a whole number, >= 2)
          merge --base a.b.c --ledgers a.b.d --target-mb 1             | Invalid argument: --target-mb 1 without --compact-min-files (expected: both
          compact --ledger a.b.c --target-mb 0.5      | Invalid argument: --target-mb 0.5 (expected: a whole number, >= 1)
          compact --ledger a.b.c --min-files many     | Invalid argument: --min-files many (expected: a whole number
          expire --ledger a.b.c                       | Missing argument: --bases
          expire --ledger a.b.c --bases ,             | Missing argument: --bases (expected: every base table
          expire-base --base a.b.c --keep 5d          | Invalid argument: --keep 5d (expected: a duration such as P5D)
          expire-base --base a.b.c --keep PT-1H       | Invalid argument: --keep PT-1H (expected: a duration
          purge --base a.b.c --before yesterday       | Invalid argument: --before yesterday (expected: a time such as
          purge --base a.b.c --before 2026-01-01T00:00:00Z --x y       | Invalid argument: --x (expected: of
          purge --base a.b.c --before 2999-01-01T00:00:00Z             | earlier than anything Kafka still holds
          compare --base a.b.c --key id               | Missing argument: --reference table, or --url
          compare --base a.b.c --key id --reference a.b.d --url jdbc:x | Missing argument: --table
          compare --base a.b.c --key id --reference a.b.d --url x --table t    | expected: one of the two
          compare --base a.b.c --key id --url x --table t --split-by id --x y  | Invalid argument: --x (expected: of
          compare --base a.b.c --key , --reference a.b.d               | Missing argument: --key
          compare --base a.b.c --key id --reference a.b.d --cut noon   | Invalid argument: --cut noon (expected: a time such as
          compare --base a.b.c --key id --reference a.b.d --format pdf | Invalid argument: --format pdf (expected: text, json or html)
          clean-days --base a.b.c --history a.b.d --days 0             | Invalid argument: --days 0 (expected: a whole number, >= 1)
          swap-view --view x                          | Invalid argument: --view x (expected: catalog.namespace.view
          swap-view --view a.b.c --to-base a.b.d --to-table a.b.e      | expected: one of the two, or neither
          swap-view --view a.b.c --to-base a.b.d --after x             | Invalid argument: --after x (expected: catalog.namespace.view or database.view, with commas
          swap-view --view a.b.c --to-base a.b.d --after ,             | Invalid argument: --after , (expected: catalog.namespace.view
          swap-view --view a.b.c --after a.b.d                         | Invalid argument: --after without --to-base
          """)
  void whatIsNotUnderstoodIsSaidAndNothingIsTried(String command, String said) {
    CommandLine result = CommandLine.run((Object[]) command.split(" "));
    assertThat(result.output()).contains(said).hasLineCount(1);
    assertThat(result.status()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          compact --ledger L.db.none                               | Cannot find table L.db.none
          compare --base L.db.orders --key id --reference L.db.none            | L`.`db`.`none
          compare --base L.db.orders --key id --reference L.db.orders          | Cannot compare L.db.orders with itself
          compare --base L.db.orders --key id --url jdbc:none:x --table t      | Cannot connect to jdbc:none:x
          bootstrap --base L.db.orders --ledger L.db.none --url u --table t --password-env NO_SUCH | variable NO_SUCH is not set
          swap-view --view L.db.reading                            | it has shown nothing else
          checklist --base L.db.orders --facts /no/such/file       | Cannot read the facts of /no/such/file
          """)
  void whatIsRefusedOrFailsIsNoMisunderstanding(String command, String said) {
    TestLake lake = TestLake.jdbc(directory);
    TestBase.create(lake, "orders", 2, "merge-on-read");
    String name = lake.table("orders").catalog();
    CommandLine result = CommandLine.run((Object[]) command.replace("L.", name + ".").split(" "));
    assertThat(result.output())
        .startsWith("Failed: ")
        .contains(said.replace("L.", name + ".").replace("L`", name + "`"));
    assertThat(result.status()).isEqualTo(1);
  }

  @Test
  void dumpIsSplitByAColumnOfTheKeyAlone() {
    TestLake lake = TestLake.jdbc(directory);
    TestBase base = TestBase.create(lake, "orders", 2, "merge-on-read");
    TestLedger ledger = TestLedger.create(lake, "ledger", 2);
    String command =
        "bootstrap --base %s --ledger %s --url jdbc:none:x --table t --split-by "
            .formatted(base.name(), ledger.name());
    CommandLine refused = CommandLine.run((Object[]) (command + "state").split(" "));
    assertThat(refused.output())
        .startsWith(
            "Invalid argument: --split-by state (expected: of the key columns [id] of "
                + ledger.name());
    assertThat(refused.status()).isEqualTo(2);
    for (String key : List.of("id", "ID", "`id`")) {
      CommandLine tried = CommandLine.run((Object[]) (command + key).split(" "));
      assertThat(tried.output()).as("%s", key).contains("Cannot connect to jdbc:none:x");
      assertThat(tried.status()).isEqualTo(1);
    }
  }

  private int run(String... words) {
    CommandLine result = CommandLine.run((Object[]) words);
    printed.append(result.output());
    return result.status();
  }

  private String output() {
    return printed.toString();
  }

  private static String name(TestBase base) {
    return base.name().toString();
  }
}
