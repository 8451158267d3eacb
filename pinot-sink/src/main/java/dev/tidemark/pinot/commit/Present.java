package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.controller.SegmentInfo;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The segments of a commit that are in the table, each with its own checksum.
 *
 * @param segments by name
 */
record Present(Map<String, SegmentInfo> segments) {
  Present {
    segments = new TreeMap<>(segments);
  }

  Set<String> names() {
    return new TreeSet<>(segments.keySet());
  }

  boolean isEmpty() {
    return segments.isEmpty();
  }

  /** Those that were pushed for this very commit. */
  Set<String> of(CommitId commit) {
    Set<String> names = new TreeSet<>();
    segments.forEach(
        (name, info) -> {
          if (isOf(commit, info)) {
            names.add(name);
          }
        });
    return names;
  }

  /** Those that an earlier commit has published: staged before a savepoint, and wound back to. */
  Set<String> notOf(CommitId commit) {
    Set<String> names = names();
    names.removeAll(of(commit));
    return names;
  }

  /** The carrier that those of the commit name. */
  Optional<String> carrierOf(CommitId commit) {
    return segments.values().stream()
        .filter(info -> isOf(commit, info))
        .flatMap(
            info -> Optional.ofNullable(info.customMap().get(PinotProperties.CARRIER)).stream())
        .findFirst();
  }

  private static boolean isOf(CommitId commit, SegmentInfo info) {
    return commit.toString().equals(info.customMap().get(FinalizationProperties.COMMIT_ID));
  }
}
