package dev.tidemark.cli.late;

import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateDataReport.Cause;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The late rows of each granule that had been final. How many and how often is the opinion's word;
 * which commit brought them comes from the commits that are kept.
 *
 * @param table the table's name
 * @param opinion the opinion
 * @param granules by start, epoch milliseconds UTC; those that the opinion still lists
 * @param olderRows late rows of older granules, which are kept as a sum alone
 * @param oldestReadMillis commit time of the oldest commit that was read; null for none
 */
public record LateLedger(
    String table,
    Opinion opinion,
    SortedMap<Long, Reopened> granules,
    long olderRows,
    @Nullable Long oldestReadMillis) {
  private static final int MOST = 2000;

  /**
   * One granule.
   *
   * @param rows all late rows
   * @param revision how often it was reopened
   * @param known the revisions whose commit is kept, ascending
   */
  public record Reopened(long rows, int revision, List<Revision> known) {
    public Reopened {
      known = List.copyOf(known);
    }

    /** How many revisions were made by commits that are not kept: the first ones. */
    public int unknownRevisions() {
      return revision - known.stream().mapToInt(Revision::count).sum();
    }

    /** The rows of those. */
    public long unknownRows() {
      return rows - known.stream().mapToLong(Revision::rows).sum();
    }
  }

  /**
   * One time that a granule was reopened; or several, where a commit took over the rows of several
   * commits of others at once.
   *
   * @param first from 1 on; revision 0 is the granule as it became final
   * @param number the last of them; mostly the same
   * @param rows late rows; an upper bound for those of others
   * @param cause who brought them
   * @param commit the commit that says so; null for rows that no commit has noticed yet
   * @param timeMillis its commit time; null likewise
   */
  public record Revision(
      int first,
      int number,
      long rows,
      Cause cause,
      @Nullable String commit,
      @Nullable Long timeMillis) {

    /** How many revisions these are. */
    public int count() {
      return number - first + 1;
    }
  }

  public LateLedger {
    granules = Collections.unmodifiableSortedMap(new TreeMap<>(granules));
  }

  /**
   * Draws up the ledger; reads commits until every revision is found, and at most {@value #MOST}.
   *
   * @param opinion that of the finality
   * @param commits newest first, read lazily
   */
  public static LateLedger of(
      String table, TableFinality finality, Opinion opinion, Stream<RecentCommit> commits) {
    ReopenedGranules all = opinion.reopened().plus(finality.foreign());
    Search search = new Search(all);
    List<GranuleCounts> unnoticed = finality.foreign().appends();
    for (int i = unnoticed.size() - 1; i >= 0; i--) {
      unnoticed.get(i).asMap().forEach((start, rows) -> search.add(start, 1, rows, null));
    }
    Iterator<CommitFacts> newestFirst = commits.limit(MOST).map(CommitFacts::of).iterator();
    Long oldest = null;
    CommitFacts later = null;
    while (!search.isComplete() && newestFirst.hasNext()) {
      CommitFacts commit = newestFirst.next();
      oldest = commit.timeMillis();
      if (commit.opinion() != null) {
        if (later != null) {
          search.add(later, commit.opinion().reopened());
        }
        later = commit;
      }
    }
    if (later != null && !search.isComplete()) {
      search.add(later, null);
    }
    return new LateLedger(table, opinion, search.found(), all.olderRows(), oldest);
  }

  private static final class Search {
    private final ReopenedGranules all;
    private final SortedMap<Long, List<Revision>> found = new TreeMap<>();
    private long missing;

    Search(ReopenedGranules all) {
      this.all = all;
      all.granules().keySet().forEach(start -> found.put(start, new ArrayList<>()));
      this.missing = all.granules().values().stream().mapToLong(r -> r.revision()).sum();
    }

    boolean isComplete() {
      return missing == 0;
    }

    /**
     * What a commit did: the difference of its opinion and the one before, which tells also what
     * its own list of late rows keeps as a sum.
     *
     * @param before null if that is not kept: then the commit's own lists are all there is
     */
    void add(CommitFacts commit, @Nullable ReopenedGranules before) {
      for (Long start : all.granules().keySet()) {
        long own = commit.late().granules().asMap().getOrDefault(start, 0L);
        long others = commit.lateForeign().granules().asMap().getOrDefault(start, 0L);
        Change change = before == null ? Change.NONE : Change.of(commit, before, start);
        if (own == 0 && isInTheSum(commit.late(), start) && change.revisions() > 0) {
          own = Math.max(0, change.rows() - others);
        }
        int revisions = Math.max(change.revisions(), (own > 0 ? 1 : 0) + (others > 0 ? 1 : 0));
        // A commit counts its own late rows first, then those of others: this way is backwards.
        int foreign = revisions - (own > 0 ? 1 : 0);
        if (foreign > 0) {
          add(start, foreign, others > 0 ? others : change.rows() - own, commit);
        }
        if (own > 0) {
          add(start, 1, own, Cause.STREAM, commit);
        }
      }
    }

    /** Whether a commit may have brought late rows of a granule that it does not list. */
    private static boolean isInTheSum(LateRows late, long start) {
      return late.olderRows() > 0
          && (late.granules().isEmpty() || start < late.granules().asMap().firstKey());
    }

    void add(long start, int revisions, long rows, @Nullable CommitFacts commit) {
      add(start, revisions, rows, Cause.FOREIGN, commit);
    }

    private void add(
        long start, int revisions, long rows, Cause cause, @Nullable CommitFacts commit) {
      ReopenedGranules.Reopened reopened = all.of(start);
      List<Revision> known = found.get(start);
      if (reopened == null || known == null) {
        return;
      }
      int last = known.isEmpty() ? reopened.revision() : known.get(known.size() - 1).first() - 1;
      int first = Math.max(1, last - revisions + 1);
      if (last < 1) {
        return;
      }
      known.add(
          new Revision(
              first,
              last,
              rows,
              cause,
              commit == null ? null : commit.id(),
              commit == null ? null : Long.valueOf(commit.timeMillis())));
      missing -= last - first + 1;
    }

    SortedMap<Long, Reopened> found() {
      SortedMap<Long, Reopened> granules = new TreeMap<>();
      all.granules()
          .forEach(
              (start, reopened) -> {
                List<Revision> known = new ArrayList<>(found.getOrDefault(start, List.of()));
                Collections.reverse(known);
                granules.put(start, new Reopened(reopened.rows(), reopened.revision(), known));
              });
      return granules;
    }
  }

  /** What one commit changed of a granule. */
  private record Change(int revisions, long rows) {
    static final Change NONE = new Change(0, 0);

    static Change of(CommitFacts commit, ReopenedGranules before, long start) {
      Opinion opinion = commit.opinion();
      ReopenedGranules.Reopened now = opinion == null ? null : opinion.reopened().of(start);
      ReopenedGranules.Reopened then = before.of(start);
      if (now == null) {
        return NONE;
      }
      return then == null
          ? new Change(now.revision(), now.rows())
          : new Change(now.revision() - then.revision(), now.rows() - then.rows());
    }
  }
}
