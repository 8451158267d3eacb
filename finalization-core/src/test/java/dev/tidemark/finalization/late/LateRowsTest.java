package dev.tidemark.finalization.late;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.testing.Seeds;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LateRowsTest {
  private static final long HOUR = 3_600_000L;
  private static final long START = 979_142_400_000L;

  @Test
  void writesStartsAsDistancesInSeconds() {
    LateRows rows = LateRows.of(counts(Map.of(START, 7L, START + HOUR, 5L)));

    assertThat(rows.toText()).isEqualTo("979142400:7,3600:5");
    assertThat(rows.total()).isEqualTo(12);
    assertThat(LateRows.NONE.toText()).isEmpty();
    assertThat(LateRows.fromText("")).isEqualTo(LateRows.NONE);
  }

  @Test
  void keepsTheNewestGranulesAndTheSumOfTheOthers() {
    Random random = Seeds.random("LateRows");
    for (int round = 0; round < 300; round++) {
      TreeMap<Long, Long> all = new TreeMap<>();
      for (int i = random.nextInt(60); i >= 0; i--) {
        all.put(START + (random.nextInt(2_000) - 1_000) * HOUR, 1L + random.nextInt(99_999));
      }
      LateRows rows = LateRows.of(GranuleCounts.of(all));

      assertThat(rows.total()).isEqualTo(GranuleCounts.of(all).total());
      assertThat(rows.granules().asMap().size()).isLessThanOrEqualTo(LateRows.MAX_GRANULES);
      assertThat(rows.granules().asMap())
          .isEqualTo(all.tailMap(rows.granules().asMap().firstKey()));
      assertThat(rows.toText().length()).isLessThanOrEqualTo(200);
      assertThat(LateRows.fromText(rows.toText())).isEqualTo(rows);
    }
  }

  @Test
  void keeps24HoursOneByOneWhereTheyFit() {
    TreeMap<Long, Long> all = new TreeMap<>();
    for (int hour = 0; hour < 30; hour++) {
      all.put(START + hour * HOUR, 3L);
    }
    LateRows rows = LateRows.of(GranuleCounts.of(all));

    assertThat(rows.granules().asMap()).hasSize(24);
    assertThat(rows.olderRows()).isEqualTo(18);
    assertThat(rows.toText()).startsWith("+18,979164000:3,3600:3,");
  }

  @Test
  void reopenedGranulesCountCommitsAsRevisions() {
    ReopenedGranules reopened =
        ReopenedGranules.NONE
            .plus(counts(Map.of(START, 7L)))
            .plus(counts(Map.of(START, 2L, START + HOUR, 1L)))
            .plus(GranuleCounts.none());

    assertThat(reopened.of(START)).isEqualTo(new ReopenedGranules.Reopened(9, 2));
    assertThat(reopened.of(START + HOUR)).isEqualTo(new ReopenedGranules.Reopened(1, 1));
    assertThat(reopened.of(START + 2 * HOUR)).isNull();
    assertThat(reopened.toText()).isEqualTo("979142400:9:2,3600:1:1");
    assertThat(ReopenedGranules.fromText(reopened.toText())).isEqualTo(reopened);
  }

  @Test
  void reopenedGranulesForgetTheOldestButNotItsRows() {
    ReopenedGranules reopened = ReopenedGranules.NONE;
    for (int hour = 0; hour < 30; hour++) {
      reopened = reopened.plus(counts(Map.of(START + hour * HOUR, 2L)));
    }

    assertThat(reopened.granules()).hasSize(24).doesNotContainKey(START + 5 * HOUR);
    assertThat(reopened.olderRows()).isEqualTo(12);
    assertThat(reopened.mayHide(START + 5 * HOUR)).isTrue();
    assertThat(reopened.mayHide(START + 6 * HOUR)).isFalse();
    assertThat(ReopenedGranules.fromText(reopened.toText())).isEqualTo(reopened);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1:2:x", "979142400", "979142400:", "+x,1:2", "1:2,,3:4", ":5"})
  void refusesTextThatIsNone(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LateRows.fromText(text))
        .withMessage(
            "Invalid list of granules: " + text + " (expected: such as 979142400:7,3600:5)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ReopenedGranules.fromText(text))
        .withMessageContaining("Invalid list of granules: " + text);
  }

  private static GranuleCounts counts(Map<Long, Long> counts) {
    return GranuleCounts.of(new TreeMap<>(counts));
  }
}
