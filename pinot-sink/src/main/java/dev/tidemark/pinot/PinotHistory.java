package dev.tidemark.pinot;

import dev.tidemark.finalization.commit.CommitHistory;
import dev.tidemark.finalization.commit.RecentCommit;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The commits of a table, newest first, each found through the parent that the one after it names.
 * One read of the controller per commit. Pinot has no ancestry: the stream ends where a carrier was
 * merged away or has expired.
 */
public final class PinotHistory implements CommitHistory {
  private final @Nullable RecentCommit newest;
  private final CommitSearch search;

  /** From a commit on; null for none. */
  public PinotHistory(@Nullable RecentCommit newest, CommitSearch search) {
    this.newest = newest;
    this.search = search;
  }

  @Override
  public Stream<RecentCommit> newestFirst() {
    return Stream.iterate(newest, Objects::nonNull, this::parent).map(Objects::requireNonNull);
  }

  private @Nullable RecentCommit parent(@Nullable RecentCommit commit) {
    String parent = commit == null ? null : commit.properties().get(PinotProperties.PARENT);
    return parent == null ? null : search.commit(parent).orElse(null);
  }
}
