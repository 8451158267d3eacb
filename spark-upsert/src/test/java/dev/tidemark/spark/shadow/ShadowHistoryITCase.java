package dev.tidemark.spark.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.spark.testing.TestLake;
import dev.tidemark.spark.testing.TestSession;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What kept reports prove, and which prove nothing. */
@SuppressWarnings("NullAway.Init") // set by JUnit and before each test
class ShadowHistoryITCase {
  private static final SparkSession SPARK = TestSession.get();
  private static final UUID BASE = UUID.fromString("00000000-0000-0000-0000-000000000001");
  private static final UUID OTHER = UUID.fromString("00000000-0000-0000-0000-000000000002");
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;

  private TestLake lake;
  private ShadowHistory history;

  @BeforeEach
  void create() {
    lake = TestLake.hadoop(directory);
    history = new ShadowHistory(SPARK, lake.table("shadow"));
  }

  @Test
  void cleanDaysAreCountedWithoutAGap() {
    assertThat(days(BASE, "2026-01-01T12:00:00Z")).isZero();
    history.add(report("2026-01-01T01:00:00Z", null, 1, 0));
    history.add(report("2026-01-02T01:00:00Z", null, 0, 0));
    history.add(report("2026-01-03T01:00:00Z", null, 0, 0));
    history.add(report("2026-01-03T23:59:59Z", null, 0, 0));
    history.add(report("2026-01-04T01:00:00Z", null, 0, 0));
    assertThat(days(BASE, "2026-01-04T10:00:00Z")).isEqualTo(3);
    assertThat(days(BASE, "2026-01-05T10:00:00Z")).isEqualTo(3);
    assertThat(days(BASE, "2026-01-06T10:00:00Z")).isZero();
    assertThat(days(OTHER, "2026-01-04T10:00:00Z")).as("another table").isZero();
  }

  @Test
  void dayWithACutThatStandsStillIsNotClean() {
    for (String day : List.of("2026-01-02", "2026-01-03", "2026-01-04")) {
      history.add(report(day + "T00:00:00Z", "2026-01-02T00:00:00Z", 0, 1));
    }
    assertThat(days(BASE, "2026-01-04T10:00:00Z")).as("48 hours, to the second").isEqualTo(3);
    history.add(report("2026-01-04T00:00:01Z", "2026-01-02T00:00:00Z", 0, 1));
    assertThat(days(BASE, "2026-01-04T10:00:00Z")).as("any report of the day").isZero();
    history.add(report("2026-01-05T01:00:00Z", null, 0, 0));
    assertThat(days(BASE, "2026-01-05T10:00:00Z")).isEqualTo(1);
  }

  @Test
  void whatWasComparedIsKept() {
    history.add(report("2026-01-02T01:00:00Z", "2026-01-02T00:00:00Z", 0, 1, "amount", "state"));
    assertThat(SPARK.table(lake.table("shadow").sql()).drop("report").collectAsList().toString())
        .startsWith("[[base,")
        .endsWith(",1,7,ArraySeq(amount, state),%s]]".formatted(BASE));
  }

  @Test
  void ignoredColumnsAreThoseOfTheDaysThatCount() {
    history.add(report("2026-01-02T01:00:00Z", null, 0, 0, "old"));
    history.add(report("2026-01-03T01:00:00Z", null, 0, 0));
    history.add(report("2026-01-04T01:00:00Z", null, 0, 0, "state"));
    history.add(report("2026-01-04T02:00:00Z", null, 0, 0, "amount"));
    ShadowHistory.CleanDays clean = history.cleanDays(BASE, Instant.parse("2026-01-04T10:00:00Z"));
    assertThat(clean.days()).isEqualTo(3);
    assertThat(clean.ignoredIn(3)).containsExactly("amount", "old", "state");
    assertThat(clean.ignoredIn(2)).containsExactly("amount", "state");
  }

  @Test
  void proofIsAComparisonThatLeftNothingOut() {
    assertThat(history.proof(BASE, BEGIN)).as("no history").isEmpty();
    history.add(report("2026-01-02T00:00:00Z", "2026-01-01T12:00:00Z", 0, 1));
    assertThat(days(BASE, "2026-01-02T10:00:00Z")).isEqualTo(1);
    assertThat(history.proof(BASE, BEGIN)).as("a key left out for the cut").isEmpty();
    history.add(report("2026-01-03T00:00:00Z", null, 0, 0));
    assertThat(history.proof(BASE, BEGIN)).isPresent();
    assertThat(history.proof(OTHER, BEGIN)).as("another table").isEmpty();
    assertThat(history.proof(BASE, Instant.parse("2026-01-03T00:00:00Z"))).as("since").isEmpty();
    history.add(report("2026-01-04T00:00:00Z", null, 1, 0));
    assertThat(history.proof(BASE, BEGIN)).as("the last one is not clean").isEmpty();
    history.add(report("2026-01-10T00:00:00Z", "2026-01-05T00:00:00Z", 0, 0));
    assertThat(history.proof(BASE, BEGIN)).as("the last one's cut stood still").isEmpty();
  }

  @Test
  void proofNamesTheColumnsThatItLacks() {
    history.add(report("2026-01-02T00:00:00Z", null, 0, 0, "amount"));
    assertThat(proven()).containsExactly("amount");
    history.add(report("2026-01-03T00:00:00Z", null, 0, 0));
    assertThat(proven()).isEmpty();
    history.add(report("2026-01-04T00:00:00Z", null, 0, 0, "state"));
    assertThat(proven()).as("of the last one").containsExactly("state");
  }

  @Test
  void reportsFromBeforeTheTableWasKeptCountForNothing() {
    SPARK.sql(
        "CREATE TABLE %s (base STRING, made_at TIMESTAMP, clean BOOLEAN, wrong BIGINT, report STRING, reference STRING, cut TIMESTAMP, after_cut BIGINT) USING iceberg"
            .formatted(lake.table("shadow").sql()));
    SPARK.sql(
        "INSERT INTO %s VALUES ('base', TIMESTAMP'2026-01-02 01:00:00Z', true, 0, '{}', 'r', NULL, 0)"
            .formatted(lake.table("shadow").sql()));
    assertThat(days(BASE, "2026-01-02T10:00:00Z")).isZero();
    assertThat(history.proof(BASE, BEGIN)).isEmpty();
    history.add(report("2026-01-03T01:00:00Z", null, 0, 0));
    assertThat(days(BASE, "2026-01-03T10:00:00Z")).isEqualTo(1);
    assertThat(history.proof(BASE, BEGIN)).isPresent();
    assertThat(SPARK.table(lake.table("shadow").sql()).count()).isEqualTo(2);
  }

  private Iterable<String> proven() {
    return history.proof(BASE, BEGIN).orElseThrow().ignored();
  }

  private int days(UUID table, String now) {
    return history.cleanDays(table, Instant.parse(now)).days();
  }

  private static ShadowReport report(
      String at, @Nullable String cut, long wrong, long afterCut, String... ignored) {
    return new ShadowReport(
        "base",
        BASE,
        "reference",
        Instant.parse(at),
        cut == null ? null : Instant.parse(cut),
        4,
        4,
        7,
        4,
        1,
        0,
        List.of(ignored),
        List.of(),
        Map.of(ShadowReport.Kind.DIFFERS, wrong, ShadowReport.Kind.AFTER_CUT, afterCut),
        List.of());
  }
}
