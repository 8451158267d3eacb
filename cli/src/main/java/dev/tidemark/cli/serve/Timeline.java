package dev.tidemark.cli.serve;

import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The newest commits of a table, and since when its watermark stands, which may be longer than they
 * reach back. Immutable.
 *
 * @param commits newest first, at most {@value #MOST}
 * @param watermarkSince the commit time of the commit that moved the watermark to where it is; of
 *     the oldest that was read if that one is not kept; null without a watermark
 */
record Timeline(List<CommitFacts> commits, @Nullable Instant watermarkSince) {
  /** How many commits are shown. */
  static final int MOST = 500;

  /** How many are read at the first sight of a table to find the one that moved its watermark. */
  static final int MOST_SEARCHED = 5_000;

  Timeline {
    commits = List.copyOf(commits);
  }

  /**
   * Reads down to the newest commit that is known, which needs no second reading with all before
   * it; and, if the watermark is not that of the view before, on to the commit that moved it.
   *
   * @param watermark of the table now
   * @param before the view before this one; null if this is the first
   */
  static Timeline read(
      Stream<RecentCommit> newestFirst,
      @Nullable Long watermark,
      @Nullable TableView before,
      Instant now) {
    List<CommitFacts> known = before == null ? List.of() : before.timeline().commits();
    String newestKnown = known.isEmpty() ? null : known.get(0).id();
    Instant carried =
        before != null && Objects.equals(Timeline.watermark(before.finality()), watermark)
            ? before.timeline().watermarkSince()
            : null;
    Search search = new Search(watermark, watermark != null && carried == null);
    List<CommitFacts> commits = new ArrayList<>();
    Iterator<RecentCommit> rest = newestFirst.iterator();
    for (int i = 0; i < (search.goesOn ? MOST_SEARCHED : MOST) && rest.hasNext(); i++) {
      CommitFacts commit = CommitFacts.of(rest.next());
      if (commit.id().equals(newestKnown)) {
        known.forEach(search::look);
        commits.addAll(known);
        break;
      }
      search.look(commit);
      if (commits.size() < MOST) {
        commits.add(commit);
      }
    }
    return new Timeline(
        commits.size() > MOST ? commits.subList(0, MOST) : commits,
        carried == null && watermark != null ? search.since(before == null, now) : carried);
  }

  /** The watermark of a table, null if there is none. */
  static @Nullable Long watermark(TableFinality finality) {
    Opinion opinion = finality.opinion();
    return opinion == null ? null : opinion.watermarkMillis();
  }

  /** Looks, from the newest commit on, for the one that moved the watermark. */
  private static final class Search {
    private final @Nullable Long watermark;
    private @Nullable CommitFacts first;
    private @Nullable CommitFacts other;
    private boolean goesOn;

    Search(@Nullable Long watermark, boolean goesOn) {
      this.watermark = watermark;
      this.goesOn = goesOn;
    }

    void look(CommitFacts commit) {
      if (!goesOn || commit.opinion() == null) {
        return;
      }
      if (Objects.equals(commit.watermarkMillis(), watermark)) {
        first = commit;
      } else {
        other = commit;
        goesOn = false;
      }
    }

    /** Where no commit moved it, an administrator did: after the newest, and unseen until now. */
    @Nullable Instant since(boolean isFirstSight, Instant now) {
      CommitFacts found = first == null && isFirstSight ? other : first;
      if (found == null) {
        return isFirstSight ? null : now;
      }
      return Instant.ofEpochMilli(found.timeMillis());
    }
  }
}
