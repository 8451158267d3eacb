package dev.tidemark.finalization.late;

import dev.tidemark.finalization.granule.GranuleCounts;
import java.util.List;
import java.util.SortedMap;

/**
 * Rows that commits of others brought below the watermark, each commit apart: every one of them is
 * a revision of the granules that it reaches into. Immutable and thread-safe.
 *
 * @param appends rows per granule of each such commit, oldest first, an upper bound; those that
 *     reach into no final granule are left out
 */
public record ForeignRows(List<GranuleCounts> appends) {
  /** No such row. */
  public static final ForeignRows NONE = new ForeignRows(List.of());

  public ForeignRows {
    appends = appends.stream().filter(rows -> !rows.isEmpty()).toList();
  }

  /** Those of a single commit. */
  public static ForeignRows ofOne(GranuleCounts rows) {
    return new ForeignRows(List.of(rows));
  }

  /** All of them per granule, as if one commit had brought them. */
  public GranuleCounts sum() {
    return GranuleCounts.merge(appends);
  }

  /** {@link #sum}, by granule start. */
  public SortedMap<Long, Long> asMap() {
    return sum().asMap();
  }

  /** All rows together. */
  public long total() {
    return sum().total();
  }

  /** Whether there is no row. */
  public boolean isEmpty() {
    return appends.isEmpty();
  }
}
