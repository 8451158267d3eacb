package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The newest commits of one writer that hold stream records: at least so many of them, and spanning
 * at least so much commit time. Kept as a sliding-window minimum: a list of runs of consecutive
 * commits, each with the least statistic that counts as long as any commit of the run is inside;
 * the statistics ascend, since an older and greater one can never be the minimum again. At most
 * {@value #MAX_RUNS} runs: neighbours are merged, which can only lower the minimum (the safe side).
 *
 * <p>Carried in every commit, so that expired snapshots never stall it and a commit costs the same
 * at any length of history. Immutable and thread-safe.
 *
 * @param runs oldest first
 * @param newestMillis commit time of the newest commit; 0 when there is none
 * @param total how many commits were ever added, the ordinal of the newest
 */
public record CommitWindow(List<Run> runs, long newestMillis, long total) {
  /** The most runs that are kept. */
  public static final int MAX_RUNS = 16;

  /** The window before the first commit. */
  public static final CommitWindow EMPTY = new CommitWindow(List.of(), 0, 0);

  /**
   * Consecutive commits.
   *
   * @param commits how many, at least 1
   * @param firstTimeMillis commit time of the first of them
   * @param statistic the least statistic of the last of them and of any after the first that could
   *     still be the minimum
   */
  public record Run(long commits, long firstTimeMillis, long statistic) {}

  public CommitWindow {
    runs = List.copyOf(runs);
  }

  /**
   * The window after one more commit.
   *
   * @param commitTimeMillis not before the newest commit's time
   * @param lookbackCommits how many commits the window must hold
   * @param lookbackSpan how much commit time it must span
   */
  public CommitWindow add(
      long commitTimeMillis, long statistic, int lookbackCommits, Duration lookbackSpan) {
    List<Run> next = new ArrayList<>(runs);
    long commits = 1;
    long firstTime = commitTimeMillis;
    while (!next.isEmpty() && next.get(next.size() - 1).statistic() >= statistic) {
      Run covered = next.remove(next.size() - 1);
      commits += covered.commits();
      firstTime = covered.firstTimeMillis();
    }
    next.add(new Run(commits, firstTime, statistic));
    dropOutside(next, commitTimeMillis, lookbackCommits, lookbackSpan);
    return new CommitWindow(next, commitTimeMillis, total + 1).limitedTo(MAX_RUNS);
  }

  /**
   * The window in at most this many runs. Neighbours with the fewest commits are merged first,
   * towards the lower statistic, so that no run grows to be most of the window: a run leaves only
   * as a whole, and one that took in every older commit would never leave.
   */
  public CommitWindow limitedTo(int maxRuns) {
    List<Run> limited = new ArrayList<>(runs);
    while (limited.size() > maxRuns) {
      int at = smallestPair(limited);
      Run older = limited.get(at);
      Run newer = limited.remove(at + 1);
      limited.set(
          at,
          new Run(older.commits() + newer.commits(), older.firstTimeMillis(), older.statistic()));
    }
    return new CommitWindow(limited, newestMillis, total);
  }

  /** The oldest run that has, together with its successor, the fewest commits. */
  private static int smallestPair(List<Run> runs) {
    int smallest = 0;
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i + 1 < runs.size(); i++) {
      long commits = runs.get(i).commits() + runs.get(i + 1).commits();
      if (commits < fewest) {
        fewest = commits;
        smallest = i;
      }
    }
    return smallest;
  }

  /** Whether it holds as much as is asked. */
  public boolean isWarm(int lookbackCommits, Duration lookbackSpan) {
    return !runs.isEmpty()
        && commits() >= lookbackCommits
        && newestMillis - startMillis() >= lookbackSpan.toMillis();
  }

  /** How many commits it knows of. */
  public long commits() {
    return runs.stream().mapToLong(Run::commits).sum();
  }

  /**
   * The least statistic.
   *
   * @throws IndexOutOfBoundsException if there is no commit
   */
  public long minimum() {
    return runs.get(0).statistic();
  }

  /**
   * The commit time at which it starts.
   *
   * @throws IndexOutOfBoundsException if there is no commit
   */
  public long startMillis() {
    return runs.get(0).firstTimeMillis();
  }

  void writeTo(ByteWriter out) {
    out.writeUnsigned(runs.size()).writeSigned(newestMillis).writeUnsigned(total);
    long time = newestMillis;
    long statistic = 0;
    for (Run run : runs) {
      out.writeUnsigned(run.commits());
      out.writeSigned(run.firstTimeMillis() - time).writeSigned(run.statistic() - statistic);
      time = run.firstTimeMillis();
      statistic = run.statistic();
    }
  }

  static CommitWindow readFrom(ByteReader in) {
    int size = in.readCount();
    long newest = in.readSigned();
    long total = in.readUnsigned();
    List<Run> runs = new ArrayList<>();
    long time = newest;
    long statistic = 0;
    for (int i = 0; i < size; i++) {
      long commits = in.readUnsigned();
      time += in.readSigned();
      statistic += in.readSigned();
      runs.add(new Run(commits, time, statistic));
    }
    return new CommitWindow(runs, newest, total);
  }

  /** The oldest run leaves once the window could start with the run after it. */
  private static void dropOutside(
      List<Run> runs, long newestTime, int lookbackCommits, Duration lookbackSpan) {
    long commits = runs.stream().mapToLong(Run::commits).sum();
    while (runs.size() > 1) {
      long without = commits - runs.get(0).commits();
      long span = newestTime - runs.get(1).firstTimeMillis();
      if (without < lookbackCommits || span < lookbackSpan.toMillis()) {
        return;
      }
      runs.remove(0);
      commits = without;
    }
  }
}
