package dev.tidemark.cli.late;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.cli.testing.EngineRun;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LateLedgerTest {
  private final EngineRun table = new EngineRun();
  private final FinalizationConfig config =
      FinalizationConfig.forWriter("orders").readFromBeginning().lookback(1, Duration.ZERO).build();

  @Test
  void nothingWasReopened() {
    table.by(config).rows("10:05").commit();
    assertThat(lines(ZoneOffset.UTC))
        .isEqualTo("lake.db.t: final up to 2026-01-01T10:00:00Z, nothing was reopened");
  }

  @Test
  void eachRevisionIsListedWithItsRows() {
    table.by(config).rows("10:05").commit();
    table.by(config).rows("08:10", "08:20", "08:30").commit();
    table.by(config).rows("08:40", "09:10", "10:30").commit();

    assertThat(lines(ZoneOffset.UTC))
        .isEqualTo(
            """
            lake.db.t: final up to 2026-01-01T10:00:00Z, reopened: 2
              2026-01-01T08  final r0, reopened +3 rows r1, +1 row r2
              2026-01-01T09  final r0, reopened +1 row r1""");
    assertThat(lines(ZoneId.of("Asia/Seoul"))).contains("  2026-01-01T17  final r0");
  }

  @Test
  void rowsOfOthersAreAnUpperBoundAndComeAfterOnesOwn() {
    table.by(config).rows("10:05").commit();
    table.by(config).rows("08:10").foreignRows("08:00", 5).commit();

    assertThat(lines(ZoneOffset.UTC))
        .endsWith("final r0, reopened +1 row r1, +5 rows r2 (at most, by somebody else)");
  }

  @Test
  void rowsThatNoCommitHasNoticedYetAreTheLastRevision() {
    table.by(config).rows("10:05").commit();
    table.by(config).rows("08:10").commit();
    GranuleCounts foreign = eight(2);

    LateLedger ledger =
        LateLedger.of(
            "lake.db.t",
            table.finality(false, foreign),
            Objects.requireNonNull(table.opinion()),
            table.newestFirst());

    assertThat(LateText.lines(ledger, ZoneOffset.UTC).get(1))
        .endsWith("+1 row r1, +2 rows r2 (at most, by somebody else)");
    assertThat(ledger.granules().values().iterator().next().known().get(1).commit()).isNull();
  }

  @Test
  void appendsOfOthersThatOneCommitTookOverAreSeveralRevisions() {
    table.by(config).rows("10:05").commit();
    table.by(config).rows("08:10").commit();
    table.by(config).rows("10:06").foreignRows("08:00", 5).foreignRows("08:00", 7).commit();
    table.by(config).rows("08:20").commit();

    assertThat(lines(ZoneOffset.UTC))
        .endsWith("reopened +1 row r1, +12 rows r2 to r3 (at most, by somebody else), +1 row r4");
    JsonNode revision = LateText.json(ledger()).path("granules").path(0).path("revisions").path(1);
    assertThat(revision.path("firstRevision").asInt()).isEqualTo(2);
    assertThat(revision.path("revision").asInt()).isEqualTo(3);
  }

  @Test
  void eachAppendThatNoCommitHasNoticedYetIsARevision() {
    table.by(config).rows("10:05").commit();

    LateLedger ledger =
        LateLedger.of(
            "lake.db.t",
            table.finality(false, eight(2), eight(3)),
            Objects.requireNonNull(table.opinion()),
            table.newestFirst());

    assertThat(LateText.lines(ledger, ZoneOffset.UTC).get(1))
        .endsWith("+2 rows r1 (at most, by somebody else), +3 rows r2 (at most, by somebody else)");
  }

  /** 24 granules of four-digit counts do not fit into a commit's own list. */
  @Test
  void hoursThatACommitListsInASumAreNumberedAndCountedAllTheSame() {
    FinalizationConfig minutes = minutes();
    table.by(minutes).rows("10:05").commit();
    table.by(minutes).rows("09:00").commit();
    EngineRun.Draft flood = table.by(minutes);
    for (int minute = 0; minute < 24; minute++) {
      String[] rows = new String[1234];
      Arrays.fill(rows, "09:%02d".formatted(minute));
      flood.rows(rows);
    }
    flood.commit();
    table.by(minutes).rows("09:00").commit();

    assertThat(LateText.lines(ledger(), ZoneOffset.UTC))
        .hasSize(25)
        .noneMatch(line -> line.contains("not kept"))
        .anyMatch(line -> line.endsWith("final r0, reopened +1 row r1, +1234 rows r2, +1 row r3"));
  }

  @Test
  void revisionsOfCommitsThatAreGoneAreSummed() {
    table.by(config).rows("10:05").commit();
    table.by(config).rows("08:10", "08:20").commit();
    table.by(config).rows("08:30").commit();
    table.by(config).rows("08:40").commit();
    table.expireAllBut(1);

    assertThat(lines(ZoneOffset.UTC))
        .endsWith("final r0, reopened +3 rows r1 to r2 (by commits that are not kept), +1 row r3");
  }

  @Test
  void hoursThatTheOpinionNoLongerListsAreASum() {
    FinalizationConfig minutes = minutes();
    table.by(minutes).rows("10:05").commit();
    for (int i = 0; i < 26; i++) {
      table.by(minutes).rows("09:%02d".formatted(i)).commit();
    }
    assertThat(lines(ZoneOffset.UTC))
        .contains("reopened: 24")
        .contains("  earlier: +2 rows, kept as a sum");
  }

  @Test
  void jsonListsTheRevisionsWithTheirCommits() {
    table.by(config).rows("10:05").commit();
    table.by(config).rows("08:10", "08:20").commit();

    JsonNode granule = LateText.json(ledger()).path("granules").path(0);

    assertThat(granule.path("start").asText()).isEqualTo("2026-01-01T08:00:00Z");
    assertThat(granule.path("rows").asLong()).isEqualTo(2);
    assertThat(granule.path("revisions").path(0).path("commit").asText()).isEqualTo("c2");
    assertThat(granule.path("revisions").path(0).path("cause").asText()).isEqualTo("stream");
  }

  private static FinalizationConfig minutes() {
    return FinalizationConfig.forWriter("orders")
        .readFromBeginning()
        .lookback(1, Duration.ZERO)
        .granularity(Granularity.of(Duration.ofMinutes(1)))
        .build();
  }

  private static GranuleCounts eight(long rows) {
    return GranuleCounts.of(new TreeMap<>(Map.of(EngineRun.at("08:00").toEpochMilli(), rows)));
  }

  private String lines(ZoneId zone) {
    return String.join("\n", LateText.lines(ledger(), zone));
  }

  private LateLedger ledger() {
    return LateLedger.of(
        "lake.db.t",
        table.finality(),
        Objects.requireNonNull(table.opinion()),
        table.newestFirst());
  }
}
