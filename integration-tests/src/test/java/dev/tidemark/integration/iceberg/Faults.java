package dev.tidemark.integration.iceberg;

import dev.tidemark.flink.testing.SimulatedFailure;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.flink.sink.SinkUtil;

/**
 * What goes wrong with the next metadata commits of one table, in the order in which it was
 * scripted; once the script is used up, commits go through. Lives in the test's JVM; a {@link
 * FaultyCatalog} finds it by the table's name. Thread-safe.
 */
public final class Faults {
  /** Which metadata commits a fault is meant for. */
  public enum Kind {
    /** A sink's commit of a checkpoint. */
    DATA((base, next) -> isNewSnapshot(base, next) && isOfCheckpoint(next)),
    /** An opinion without rows: a writer that registers. */
    OPINION((base, next) -> isNewSnapshot(base, next) && !isOfCheckpoint(next)),
    /** A change of properties alone. */
    MIRROR((base, next) -> !isNewSnapshot(base, next));

    private final BiPredicate<TableMetadata, TableMetadata> test;

    Kind(BiPredicate<TableMetadata, TableMetadata> test) {
      this.test = test;
    }

    private static boolean isNewSnapshot(TableMetadata base, TableMetadata next) {
      return base != null
          && next.currentSnapshot() != null
          && (base.currentSnapshot() == null
              || base.currentSnapshot().snapshotId() != next.currentSnapshot().snapshotId());
    }

    private static boolean isOfCheckpoint(TableMetadata next) {
      Snapshot head = next.currentSnapshot();
      return head.summary().containsKey(SinkUtil.MAX_COMMITTED_CHECKPOINT_ID);
    }
  }

  private interface Action {
    void run(TableOperations store, TableMetadata base, TableMetadata next);
  }

  private record Held(TableMetadata base, TableMetadata next) {}

  private record Fault(Kind kind, Action action) {}

  private static final Map<String, Faults> SCRIPTS = new ConcurrentHashMap<>();

  private final List<Fault> script = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private int used;

  private Faults() {}

  /** The script of a table, by its catalog's URI and its name. */
  static Faults of(String catalogUri, String table) {
    return SCRIPTS.computeIfAbsent(catalogUri + "#" + table, name -> new Faults());
  }

  /** The commit does not reach the store, and the committing process dies. */
  public Faults crashBefore(Kind kind) {
    return next(kind, (store, base, next) -> crash("before the commit"));
  }

  /** The commit lands, and the committing process dies before it hears of it. */
  public Faults crashAfter(Kind kind) {
    return next(
        kind,
        (store, base, next) -> {
          store.commit(base, next);
          crash("after the commit");
        });
  }

  /** The commit does not reach the store, which says so in its own way. */
  public Faults refuse(Kind kind) {
    return next(
        kind,
        (store, base, next) -> {
          throw new SimulatedFailure("the store is down");
        });
  }

  /** The commit lands, and an ordinary exception comes back. */
  public Faults landAndFail(Kind kind) {
    return next(
        kind,
        (store, base, next) -> {
          store.commit(base, next);
          throw new SimulatedFailure("the answer to a commit that landed was lost");
        });
  }

  /** The commit lands, and the store cannot tell. */
  public Faults landAndAnswerUnknown(Kind kind) {
    return next(
        kind,
        (store, base, next) -> {
          store.commit(base, next);
          throw new CommitStateUnknownException(new SimulatedFailure("landed"));
        });
  }

  /** The commit is lost, and the store cannot tell. */
  public Faults loseAndAnswerUnknown(Kind kind) {
    return next(
        kind,
        (store, base, next) -> {
          throw new CommitStateUnknownException(new SimulatedFailure("lost"));
        });
  }

  /** The store cannot tell; the commit is on its way and lands with {@link #landHeld}. */
  public Faults holdAndAnswerUnknown(Kind kind) {
    return next(
        kind,
        (store, base, next) -> {
          held.add(new Held(base, next));
          throw new CommitStateUnknownException(new SimulatedFailure("on its way"));
        });
  }

  /** The commit goes through. */
  public Faults pass(Kind kind) {
    return next(kind, TableOperations::commit);
  }

  /** Somebody else does something to the table just before the commit reaches the store. */
  public Faults overtake(Kind kind, Runnable other) {
    return next(
        kind,
        (store, base, next) -> {
          other.run();
          store.commit(base, next);
        });
  }

  /**
   * Has the commits that were held land now, on the state that they were made for.
   *
   * @param table a handle of its own: the committing process may be gone
   * @throws org.apache.iceberg.exceptions.CommitFailedException if the table moved on
   */
  public synchronized void landHeld(Table table) {
    TableOperations store = ((HasTableOperations) table).operations();
    for (Held commit : held) {
      TableMetadata current = store.refresh();
      boolean unmoved = current.metadataFileLocation().equals(commit.base().metadataFileLocation());
      store.commit(unmoved ? current : commit.base(), commit.next());
    }
    held.clear();
  }

  /** How many faults came to pass. */
  public synchronized int used() {
    return used;
  }

  /** Commits to the store, or does what the script says. */
  synchronized void commit(TableOperations store, TableMetadata base, TableMetadata next) {
    for (Iterator<Fault> faults = script.iterator(); faults.hasNext(); ) {
      Fault fault = faults.next();
      if (fault.kind().test.test(base, next)) {
        faults.remove();
        used++;
        fault.action().run(store, base, next);
        return;
      }
    }
    store.commit(base, next);
  }

  private synchronized Faults next(Kind kind, Action action) {
    script.add(new Fault(kind, action));
    return this;
  }

  private static void crash(String when) {
    throw new SimulatedFailure.Crash(when);
  }
}
