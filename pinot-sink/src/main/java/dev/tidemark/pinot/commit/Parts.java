package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.segment.StagedSegment;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a commit, by name.
 *
 * @param commit the commit
 * @param segments sorted by name
 */
record Parts(PinotCommit commit, List<StagedSegment> segments) {

  static Parts of(PinotCommit commit) {
    List<StagedSegment> sorted =
        commit.segments().stream().sorted(Comparator.comparing(StagedSegment::name)).toList();
    Parts parts = new Parts(commit, sorted);
    if (parts.names().size() < sorted.size()) {
      throw new IllegalArgumentException(
          "Cannot publish commit "
              + commit.id()
              + ": two of its segments have one name "
              + sorted.stream().map(StagedSegment::name).toList()
              + " (expected: names that differ)");
    }
    return parts;
  }

  /** The segment that carries the commit: the first that is its own; null if none is. */
  @Nullable StagedSegment carrier(Set<String> kept) {
    List<StagedSegment> own = without(kept);
    return own.isEmpty() ? null : own.get(0);
  }

  Set<String> names() {
    Set<String> names = new TreeSet<>();
    segments.forEach(segment -> names.add(segment.name()));
    return names;
  }

  /** Those of these names. */
  List<StagedSegment> only(Collection<String> names) {
    return segments.stream().filter(segment -> names.contains(segment.name())).toList();
  }

  /** Those of other names. */
  List<StagedSegment> without(Collection<String> names) {
    return segments.stream().filter(segment -> !names.contains(segment.name())).toList();
  }
}
