package dev.tidemark.quickstart.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.quickstart.program.RowComparison.Rows;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RowComparisonTest {
  @Test
  void sameRowsAgree() {
    RowComparison same = compare(Map.of(1, "a", 2, "b"), Map.of(2, "b", 1, "a"));
    assertThat(same.agrees()).isTrue();
    assertThat(same.verdict("source")).isEqualTo("equal to source, 2 rows compared");
  }

  @Test
  void rowsThatAreMissingTooMuchOrOtherDiffer() {
    RowComparison other = compare(Map.of(1, "a", 2, "b", 3, "c"), Map.of(1, "a", 2, "B", 4, "d"));
    assertThat(other.agrees()).isFalse();
    assertThat(other.differing()).isEqualTo(3);
    assertThat(other.differences())
        .containsExactly(
            "key 2: copy B, source b", "key 3: copy null, source c", "key 4: copy d, source null");
    assertThat(other.verdict("source")).isEqualTo("3 rows DIFFER from source");
  }

  @Test
  void emptyTablesAgree() {
    assertThat(compare(Map.of(), Map.of()).agrees()).isTrue();
  }

  private static RowComparison compare(Map<Integer, String> source, Map<Integer, String> copy) {
    return RowComparison.of(
        new Rows<>("source", new TreeMap<>(source)), new Rows<>("copy", new TreeMap<>(copy)));
  }
}
