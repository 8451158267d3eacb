package dev.tidemark.cli.late;

import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.late.LateDataReport.Cause;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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

    /** How many revisions were made by commits that are not kept, or that kept only a sum. */
    public int unknownRevisions() {
      return revision - known.size();
    }

    /** The rows of those. */
    public long unknownRows() {
      return rows - known.stream().mapToLong(Revision::rows).sum();
    }
  }

  /**
   * One time that a granule was reopened.
   *
   * @param number from 1 on; revision 0 is the granule as it became final
   * @param rows late rows; an upper bound for those of others
   * @param cause who brought them
   * @param commit the commit that says so; null for rows that no commit has noticed yet
   * @param timeMillis its commit time; null likewise
   */
  public record Revision(
      int number, long rows, Cause cause, @Nullable String commit, @Nullable Long timeMillis) {}

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
    search.add(finality.foreign().asMap(), Cause.FOREIGN, null);
    Iterator<RecentCommit> newestFirst = commits.limit(MOST).iterator();
    Long oldest = null;
    while (!search.isComplete() && newestFirst.hasNext()) {
      CommitFacts commit = CommitFacts.of(newestFirst.next());
      oldest = commit.timeMillis();
      // A commit counts its own late rows first, then those of others: this way is backwards.
      search.add(commit.lateForeign().granules().asMap(), Cause.FOREIGN, commit);
      search.add(commit.late().granules().asMap(), Cause.STREAM, commit);
    }
    return new LateLedger(table, opinion, search.found(), all.olderRows(), oldest);
  }

  private static final class Search {
    private final ReopenedGranules all;
    private final Map<Long, List<Revision>> found = new TreeMap<>();
    private long missing;

    Search(ReopenedGranules all) {
      this.all = all;
      all.granules().keySet().forEach(start -> found.put(start, new ArrayList<>()));
      this.missing = all.granules().values().stream().mapToLong(r -> r.revision()).sum();
    }

    boolean isComplete() {
      return missing == 0;
    }

    void add(Map<Long, Long> rows, Cause cause, @Nullable CommitFacts commit) {
      rows.forEach(
          (start, count) -> {
            ReopenedGranules.Reopened reopened = all.of(start);
            List<Revision> known = found.get(start);
            if (reopened != null && known != null && known.size() < reopened.revision()) {
              known.add(
                  new Revision(
                      reopened.revision() - known.size(),
                      count,
                      cause,
                      commit == null ? null : commit.id(),
                      commit == null ? null : Long.valueOf(commit.timeMillis())));
              missing--;
            }
          });
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
}
