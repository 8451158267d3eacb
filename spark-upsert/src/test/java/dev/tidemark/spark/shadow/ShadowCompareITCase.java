package dev.tidemark.spark.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.spark.testing.TestSession;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** The classes of difference, the cut, and the forms of a report. */
class ShadowCompareITCase {
  private static final SparkSession SPARK = TestSession.get();
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final ShadowCompare COMPARE =
      new ShadowCompare(List.of("id"), List.of("state", "amount"), List.of(), 4, 5);

  @Test
  void equalSidesAreClean() {
    String rows = "(1, 'a', 1.50BD, '10:00'), (2, null, null, '10:00')";
    ShadowReport report = compare(side("base", rows), side("reference", rows), NOON);
    assertThat(report.isClean()).isTrue();
    assertThat(report.exitCode()).isZero();
    assertThat(report.differing()).isZero();
    assertThat(report.baseRows()).isEqualTo(2);
  }

  @Test
  void tableComparedWithItselfIsRefused() {
    Side rows = side("base", "(1, 'a', 1.50BD, '10:00')");
    assertThatThrownBy(() -> compare(rows, rows, NOON))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot compare base with itself");
  }

  @Test
  void rowsThatAreThereTwiceAreWrong() {
    String one = "(1, 'a', 1.50BD, '10:00')";
    Side twice = side("base", one + ", " + one);
    ShadowReport report = compare(twice, side("reference", one), NOON);
    assertThat(report.found()).containsEntry(ShadowReport.Kind.DUPLICATE, 1L);
    assertThat(report.exitCode()).isEqualTo(1);
  }

  @Test
  void bucketThatDiffersWithoutAKeyIsNotClean() {
    ShadowReport report =
        new ShadowReport(
            "b", null, "r", NOON, null, 2, 2, 4, 4, 1, 1, List.of(), List.of(), Map.of(),
            List.of());
    assertThat(report.isClean()).isFalse();
    assertThat(ReportFormat.TEXT.write(report)).startsWith("1 BUCKETS DIFFER WITHOUT A KEY");
  }

  @Test
  void cutThatLeavesEveryRowOutIsNotClean() {
    Side base = side("base", "(1, 'a', 1.50BD, '12:00')");
    Side reference = side("reference", "(1, 'b', 1.50BD, '12:30')");
    ShadowReport report = compare(base, reference, NOON);
    assertThat(report.wrong()).isZero();
    assertThat(report.exitCode()).isEqualTo(1);
    assertThat(ReportFormat.TEXT.write(report)).startsWith("NOTHING COMPARED");
  }

  @Test
  void cutAfterWhichOneSideChangedEveryRowIsNotClean() {
    Side base = side("base", "(1, 'a', 1.50BD, '12:00'), (2, 'b', 1.50BD, '12:30')");
    Side reference = side("reference", "(1, 'A', 1.50BD, '11:00'), (2, 'B', 1.50BD, '11:00')");
    for (ShadowReport report :
        List.of(compare(base, reference, NOON), compare(reference, base, NOON))) {
      assertThat(report.afterCut()).isEqualTo(2);
      assertThat(report.settled()).isZero();
      assertThat(report.exitCode()).isEqualTo(1);
    }
  }

  @Test
  void bytesAreComparedAsBytes() {
    ShadowReport report = compare(bytes("base", "X'00FF'"), bytes("reference", "X'00FE'"), NOON);
    assertThat(report.found()).containsEntry(ShadowReport.Kind.DIFFERS, 1L);
    assertThat(report.samples().get(0).baseRow()).contains("00FF");
    assertThat(compare(bytes("base", "X'00FF'"), bytes("reference", "X'00FF'"), NOON).isClean())
        .isTrue();
  }

  @Test
  void digitsThatTheBaseTableLostAreADifference() {
    for (List<String> values :
        List.of(
            List.of("1.01BD", "1.005BD"),
            List.of("1.01BD", "'1.005'"),
            List.of("CAST(NULL AS DECIMAL(10, 2))", "12345678901.00BD"),
            List.of("DATE'2026-01-01'", "TIMESTAMP'2026-01-01 10:00:00'"),
            List.of("DATE'2026-01-01'", "'2026-01-01 10:00:00'"))) {
      assertThat(one(values).found())
          .as("%s", values)
          .containsEntry(ShadowReport.Kind.DIFFERS, 1L)
          .containsEntry(ShadowReport.Kind.TYPE_ONLY, 0L);
    }
  }

  @Test
  void timesThatAreMicrosecondsApartAreADifference() {
    String base = "2026-01-01 10:00:00.123000";
    String reference = "2026-01-01 10:00:00.123456";
    for (List<String> values :
        List.of(
            List.of("TIMESTAMP'" + base + "'", "TIMESTAMP'" + reference + "'"),
            List.of("TIMESTAMP_NTZ'" + base + "'", "TIMESTAMP_NTZ'" + reference + "'"),
            List.of("TIMESTAMP'" + base + "'", "TIMESTAMP_NTZ'" + reference + "'"),
            List.of("TIMESTAMP'" + base + "'", "'" + reference + "'"),
            List.of("TIMESTAMP'" + reference + "'", "'" + reference + "7'"),
            List.of("TIMESTAMP_NTZ'" + reference + "'", "'" + reference + "7'"),
            List.of("DATE'2026-01-01'", "'2026-01-01 00:00:00.0000001'"))) {
      assertThat(one(values).found())
          .as("%s", values)
          .containsEntry(ShadowReport.Kind.DIFFERS, 1L)
          .containsEntry(ShadowReport.Kind.TYPE_ONLY, 0L);
    }
  }

  @Test
  void timesThatAreTheSameInTwoTypesDifferInTypeAlone() {
    String time = "2026-01-01 10:00:00.123456";
    for (List<String> values :
        List.of(
            List.of("TIMESTAMP'" + time + "'", "'" + time + "'", "0"),
            List.of("TIMESTAMP'" + time + "'", "TIMESTAMP_NTZ'" + time + "'", "0"),
            List.of("TIMESTAMP'" + time + "'", "'" + time + "000'", "1"),
            List.of("TIMESTAMP_NTZ'" + time + "'", "'2026-01-01T10:00:00.1234560'", "1"))) {
      ShadowReport report = one(values);
      assertThat(report.wrong()).as("%s", values).isZero();
      assertThat(report.found())
          .as("%s", values)
          .containsEntry(ShadowReport.Kind.TYPE_ONLY, Long.valueOf(values.get(2)));
    }
  }

  /** A row of each side with the amounts given. */
  private static ShadowReport one(List<String> values) {
    Side base = side("base", "(1, 'a', %s, '10:00')".formatted(values.get(0)));
    Side reference = side("reference", "(1, 'a', %s, '10:00')".formatted(values.get(1)));
    return compare(base, reference, NOON);
  }

  @Test
  void everyDifferenceHasItsClass() {
    Side base =
        side(
            "base",
            "(1, 'same', 1.50BD, '10:00'), (2, 'extra', 1.50BD, '10:00'),"
                + "(4, 'old', 1.50BD, '10:00'), (5, 'x', 1.50BD, '11:00'),"
                + "(6, 'type', 1.50BD, '10:00'), (7, 'soon', 1.50BD, '10:00')");
    Side reference =
        side(
            "reference",
            "(1, 'same', '1.50', '10:00'), (3, 'missing', '1.50', '10:00'),"
                + "(4, 'new', '1.50', '11:00'), (5, 'y', '1.50', '11:00'),"
                + "(6, 'type', '1.5', '10:00'), (7, 'later', '1.50', '12:00')");
    ShadowReport report = compare(base, reference, NOON);
    assertThat(report.found())
        .isEqualTo(
            Map.of(
                ShadowReport.Kind.MISSING, 1L,
                ShadowReport.Kind.EXTRA, 1L,
                ShadowReport.Kind.STALE, 1L,
                ShadowReport.Kind.DUPLICATE, 0L,
                ShadowReport.Kind.DIFFERS, 1L,
                ShadowReport.Kind.TYPE_ONLY, 1L,
                ShadowReport.Kind.AFTER_CUT, 1L));
    assertThat(report.wrong()).isEqualTo(4);
    assertThat(report.exitCode()).isEqualTo(1);
    assertThat(report.samples()).hasSize(6);
    assertThat(ReportFormat.TEXT.write(report))
        .startsWith("4 WRONG KEYS: base against reference at cut 2026-01-01T12:00:00Z")
        .contains("STALE {\"id\":4}");
    assertThat(ReportFormat.JSON.write(report)).contains("\"clean\":false").contains("\"EXTRA\":1");
    assertThat(ReportFormat.HTML.write(report)).contains("<td>MISSING<td>{\"id\":3}");
  }

  @Test
  void rowThatTheBaseDeletedAfterTheCutIsLeftOut() {
    Side alive = side("base", "(1, 'a', 1.50BD, '10:00')");
    Side gone = side("gone", "(2, 'a', 1.50BD, '12:00'), (3, 'a', 1.50BD, '11:59')");
    Side base = new Side("base", alive.rows(), "changed", gone.rows(), null);
    Side reference =
        side(
            "reference",
            "(1, 'a', 1.50BD, '10:00'), (2, 'a', 1.50BD, '10:00'), (3, 'a', 1.50BD, '10:00')");
    assertThat(compare(base, reference, NOON).found())
        .containsEntry(ShadowReport.Kind.AFTER_CUT, 1L)
        .containsEntry(ShadowReport.Kind.MISSING, 1L);
    assertThat(COMPARE.run(SPARK, base, reference, null, Clock.systemUTC()).found())
        .containsEntry(ShadowReport.Kind.AFTER_CUT, 0L)
        .containsEntry(ShadowReport.Kind.MISSING, 2L);
  }

  private static ShadowReport compare(Side base, Side reference, Instant cut) {
    return COMPARE.run(SPARK, base, reference, cut, Clock.systemUTC());
  }

  @Test
  void columnThatTheReferenceLacksCountsAsNull() {
    Side base = side("base", "(1, 'a', 1.50BD, '10:00'), (2, 'a', null, '10:00')");
    Side narrow = side("reference", "(1, 'a', 0, '10:00'), (2, 'a', 0, '10:00')");
    ShadowReport report =
        compare(base, new Side("narrow", narrow.rows().drop("amount"), "changed"), NOON);
    assertThat(report.found()).containsEntry(ShadowReport.Kind.DIFFERS, 1L);
    assertThat(report.wrong()).isEqualTo(1);
  }

  @Test
  void keyThatTheBaseTableCutOffIsWrong() {
    for (List<String> keys :
        List.of(
            List.of("1", "1.5BD", "1.5"),
            List.of("DATE'2026-01-01'", "TIMESTAMP'2026-01-01 10:00:00'", "2026-01-01 10:00:00"),
            List.of("CAST(NULL AS INT)", "3000000000L", "3000000000"))) {
      Side base = side("base", "(%s, 'a', 1.50BD, '10:00')".formatted(keys.get(0)));
      Side reference = side("reference", "(%s, 'a', 1.50BD, '10:00')".formatted(keys.get(1)));
      ShadowReport report = compare(base, reference, NOON);
      assertThat(report.found())
          .as("%s", keys)
          .containsEntry(ShadowReport.Kind.MISSING, 1L)
          .containsEntry(ShadowReport.Kind.EXTRA, 1L);
      assertThat(report.wrong()).as("%s", keys).isEqualTo(2);
      assertThat(report.samples().get(0).key()).isEqualTo("{\"id\":\"%s\"}", keys.get(2));
    }
  }

  @Test
  void keyThatIsTheSameInTwoTypesIsThere() {
    Side base = side("base", "(1, 'a', 1.50BD, '10:00'), (2, 'a', 1.50BD, '10:00')");
    for (String keys : List.of("1L 2L", "1.0BD 2.00BD", "'1' '2'")) {
      String rows = "(%s, 'a', 1.50BD, '10:00'), (%s, 'a', 1.50BD, '10:00')";
      Side reference = side("reference", rows.formatted((Object[]) keys.split(" ")));
      assertThat(compare(base, reference, NOON).isClean()).as(keys).isTrue();
    }
  }

  @Test
  void sideWithoutTheKeyIsRefused() {
    Side base = side("base", "(1, 'a', 1.50BD, '10:00')");
    Side without = new Side("keyless", base.rows().drop("id"), "changed");
    for (List<Side> sides : List.of(List.of(base, without), List.of(without, base))) {
      assertThatThrownBy(() -> compare(sides.get(0), sides.get(1), NOON))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "Cannot compare keyless by key [id]: it has columns [state, amount, changed] (expected: all of the key)");
    }
  }

  @Test
  void columnThatTheBaseTableLacksIsNamedUnlessItIsIgnored() {
    Side base = side("base", "(1, 'a', 1.50BD, '10:00')");
    Side wide =
        new Side(
            "wide",
            base.rows()
                .withColumnRenamed("changed", "touched")
                .selectExpr("*", "2 AS discount", "3 AS `<b>`"),
            "touched");
    ShadowReport report = compare(base, wide, NOON);
    assertThat(report.isClean()).isTrue();
    String named = "columns that the reference has and the base lacks: discount, ";
    assertThat(ReportFormat.TEXT.write(report)).contains("  " + named + "<b>\n");
    assertThat(ReportFormat.HTML.write(report)).contains("<p>" + named + "&lt;b&gt;</p>");
    assertThat(ReportFormat.JSON.write(report))
        .contains("\"onlyInReference\":[\"discount\",\"<b>\"]");
    ShadowReport ignoring =
        COMPARE
            .ignoring(List.of("discount", "<b>"))
            .run(SPARK, base, wide, NOON, Clock.systemUTC());
    assertThat(ignoring.onlyInReference()).isEmpty();
    assertThat(ReportFormat.TEXT.write(ignoring)).doesNotContain("lacks");
  }

  private static Side bytes(String name, String value) {
    return side(name, "(1, 'a', " + value + ", '10:00')");
  }

  private static Side side(String name, String rows) {
    return new Side(
        name,
        SPARK.sql(
            "SELECT id, state, amount, timestamp('2026-01-01 ' || time || ':00Z') AS changed FROM VALUES "
                + rows
                + " AS t(id, state, amount, time)"),
        "changed");
  }
}
