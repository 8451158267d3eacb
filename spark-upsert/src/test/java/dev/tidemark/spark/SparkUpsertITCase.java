package dev.tidemark.spark;

import static dev.tidemark.spark.testing.TestChange.insert;
import static dev.tidemark.spark.testing.TestOpinions.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.spark.testing.TestBase;
import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestLedger;
import dev.tidemark.spark.testing.TestSession;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands, what they print, and their exit status. */
class SparkUpsertITCase {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

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
    assertThat(output()).contains(view + " shows: SELECT * FROM `" + lake.table("other").catalog());
  }

  @Test
  void whatIsNotUnderstoodIsSaid() throws Exception {
    assertThat(run()).isEqualTo(2);
    assertThat(run("merge")).isEqualTo(2);
    assertThat(run("merge", "--base", "lake.orders", "--ledgers", "x")).isEqualTo(2);
    assertThat(run("purge", "--base", "a.b.c", "--before", "yesterday")).isEqualTo(2);
    assertThat(run("purge", "--base", "a.b.c", "--before", "2026-01-01T00:00:00Z", "--x", "y"))
        .isEqualTo(2);
    assertThat(run("compare", "--base", "a.b.c", "--key", "id")).isEqualTo(2);
    assertThat(run("purge", "--base", "a.b.c", "--before", "2999-01-01T00:00:00Z")).isEqualTo(2);
    assertThat(run("expire", "--ledger", "a.b.c", "--bases", "")).isEqualTo(2);
    assertThat(output())
        .contains("Missing argument: --bases", "earlier than anything Kafka still holds")
        .contains("Unknown command: \"\"")
        .contains("Missing argument: --base")
        .contains("Invalid table name: lake.orders")
        .contains("Invalid argument: --x")
        .contains("Missing argument: --reference table, or --url");
  }

  private int run(String... words) throws Exception {
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return new SparkUpsert(TestSession.get(), out, Clock.systemUTC()).run(List.of(words));
  }

  private String output() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  private static String name(TestBase base) {
    return base.name().toString();
  }
}
