package dev.tidemark.iceberg.catalog;

import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.TableTruth;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * The state of jobs that write a table, under {@link FinalityCatalog#STATE_PREFIX}. The truth of
 * each key is the newest snapshot on the ancestry that has it; the properties repeat it, and say
 * which snapshot they had it from.
 */
public final class JobState {
  /** The property that names the snapshot which the properties repeat. */
  static final String SNAPSHOT_ID = FinalityCatalog.STATE_PREFIX + "snapshot-id";

  /** The property with the commit time of that snapshot, epoch milliseconds UTC. */
  static final String SNAPSHOT_TIME_MS = FinalityCatalog.STATE_PREFIX + "snapshot-time-ms";

  private JobState() {}

  /**
   * What the ancestry of a snapshot carries, itself included; read from the metadata that the
   * handle holds.
   *
   * @param head null if there is none
   */
  public static Map<String, String> carried(Table table, @Nullable Snapshot head) {
    return carried(head, table::snapshot);
  }

  static Map<String, String> carried(
      @Nullable Snapshot head, LongFunction<@Nullable Snapshot> snapshots) {
    Map<String, String> state = new HashMap<>();
    Snapshot snapshot = head;
    while (snapshot != null) {
      own(snapshot).forEach(state::putIfAbsent);
      Long parent = snapshot.parentId();
      snapshot = parent == null ? null : snapshots.apply(parent);
    }
    return state;
  }

  /** What one snapshot carries. */
  static Map<String, String> own(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    Map<String, String> state = new HashMap<>(summary == null ? Map.of() : summary);
    state.keySet().removeIf(key -> !key.startsWith(FinalityCatalog.STATE_PREFIX));
    return state;
  }

  /** The names of the properties that hold state. */
  public static Set<String> names(Map<String, String> properties) {
    Set<String> names = new TreeSet<>(properties.keySet());
    names.removeIf(key -> !key.startsWith(FinalityCatalog.STATE_PREFIX));
    return names;
  }

  /** The properties that repeat a state. */
  static Map<String, String> shown(Map<String, String> state, Snapshot head) {
    Map<String, String> shown = new HashMap<>(state);
    shown.put(SNAPSHOT_ID, Long.toString(head.snapshotId()));
    shown.put(SNAPSHOT_TIME_MS, Long.toString(head.timestampMillis()));
    return shown;
  }

  /**
   * Whether the properties count where the ancestry of main carries no state: older snapshots were
   * expired, the one that the properties name among them, and the table was not rolled back.
   */
  public static boolean outlivesItsSnapshots(Table table) {
    TableTruth truth = TableTruth.read(table, SnapshotRef.MAIN_BRANCH);
    Snapshot head = truth.head();
    if (head == null || truth.rolledBack()) {
      return false;
    }
    Snapshot oldest = oldest(head, table::snapshot);
    if (oldest.parentId() == null) {
      return false;
    }
    Long id = number(table.properties().get(SNAPSHOT_ID));
    Long time = number(table.properties().get(SNAPSHOT_TIME_MS));
    return id == null || time == null
        ? wasNeverReset(truth)
        : table.snapshot(id) == null && time <= oldest.timestampMillis();
  }

  /**
   * An older version wrote no names of snapshots, and a reset left what a rollback had taken away.
   */
  private static boolean wasNeverReset(TableTruth truth) {
    Opinion opinion = truth.opinion();
    return opinion != null && (truth.carrier() == null || opinion.epoch() == 0);
  }

  /** The first ancestor of a snapshot that is kept, or itself. */
  static Snapshot oldest(Snapshot head, LongFunction<@Nullable Snapshot> snapshots) {
    Snapshot oldest = head;
    Snapshot snapshot = head;
    while (snapshot != null) {
      oldest = snapshot;
      Long parent = snapshot.parentId();
      snapshot = parent == null ? null : snapshots.apply(parent);
    }
    return oldest;
  }

  /** Anybody may write properties: what is no number is as good as absent. */
  private static @Nullable Long number(@Nullable String text) {
    try {
      return text == null ? null : Long.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
