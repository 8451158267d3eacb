package dev.tidemark.cli.explain;

import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.watermark.Hold;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The newest commits of a table, read from its store as far as somebody looks, and each once: a
 * store may ask its server for every one.
 */
final class Recent implements Iterable<CommitFacts> {
  /** How far back an explanation looks. */
  static final int MOST = 500;

  private final Iterator<RecentCommit> rest;
  private final List<CommitFacts> read = new ArrayList<>();

  Recent(Stream<RecentCommit> newestFirst) {
    this.rest = newestFirst.limit(MOST).iterator();
  }

  /** Newest first. */
  Stream<CommitFacts> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  /** The newest that is like this; null if none is. */
  @Nullable CommitFacts newest(Predicate<CommitFacts> like) {
    return stream().filter(like).findFirst().orElse(null);
  }

  /** The newest commit of a writer; null if none is kept. */
  @Nullable CommitFacts newestOf(String writer) {
    return newest(commit -> writer.equals(commit.writer()) && !commit.isForeign());
  }

  /**
   * The first commit of the unbroken run that has this hold; null if the newest commit that says
   * anything has another.
   */
  Explanation.@Nullable Since since(Hold.@Nullable Reason reason) {
    CommitFacts first = null;
    for (CommitFacts commit : this) {
      if (commit.isForeign()) {
        continue;
      }
      Hold hold = commit.hold();
      if (!Objects.equals(hold == null ? null : hold.reason(), reason)) {
        return first == null ? null : since(first, false);
      }
      first = commit;
      if (reason == null) {
        return since(first, false);
      }
    }
    return first == null ? null : since(first, true);
  }

  /**
   * The first commit of the unbroken run that has this watermark, whatever held it: holds take
   * turns where several writers commit. Null if the newest commit has another.
   */
  Explanation.@Nullable Since standsSince(@Nullable Long watermarkMillis) {
    CommitFacts first = null;
    for (CommitFacts commit : this) {
      if (commit.isForeign()) {
        continue;
      }
      if (!Objects.equals(commit.watermarkMillis(), watermarkMillis)) {
        return first == null ? null : since(first, false);
      }
      first = commit;
    }
    return first == null ? null : since(first, true);
  }

  private static Explanation.Since since(CommitFacts commit, boolean isOldestRead) {
    return new Explanation.Since(commit.id(), commit.timeMillis(), isOldestRead);
  }

  @Override
  public Iterator<CommitFacts> iterator() {
    return new Iterator<>() {
      private int at;

      @Override
      public boolean hasNext() {
        return at < read.size() || rest.hasNext();
      }

      @Override
      public CommitFacts next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        if (at == read.size()) {
          read.add(CommitFacts.of(rest.next()));
        }
        return read.get(at++);
      }
    };
  }
}
