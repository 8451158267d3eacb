package dev.tidemark.pinot;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Tells which commits a run has withdrawn: it was wound back to before them, and what it has made
 * since stands in their place. A segment of such a commit may well stay, staged before the
 * savepoint and published again; what it says of its commit counts no more. Immutable.
 *
 * @param runs that withdraw something
 */
record Withdrawals(Set<CommitRecord.RunRef> runs) {
  static final Withdrawals NONE = new Withdrawals(Set.of());

  Withdrawals {
    runs = Set.copyOf(runs);
  }

  /** With what these runs withdraw. */
  Withdrawals with(Collection<CommitRecord.RunRef> more) {
    Set<CommitRecord.RunRef> all = new HashSet<>(runs);
    more.stream().filter(run -> run.withdrawnFrom() != null).forEach(all::add);
    return all.size() == runs.size() ? this : new Withdrawals(all);
  }

  boolean isWithdrawn(CommitRecord record) {
    CommitRecord.RunRef made = record.run();
    return runs.stream()
        .filter(run -> run.id().equals(made.id()))
        .anyMatch(run -> run.withdraws(made.restoreEpoch(), record.checkpointId()));
  }
}
