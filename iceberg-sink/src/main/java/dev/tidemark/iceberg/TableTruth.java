package dev.tidemark.iceberg;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * What a branch says of its completeness, and how the table's mirror stands to it. Read from the
 * metadata that the handle holds; refresh the handle first. Immutable.
 *
 * @param head the branch head; null if there is none
 * @param opinion the truth; null if nothing was ever claimed
 * @param carrier the newest ancestor with an opinion; null if the opinion comes from the mirror,
 *     because the snapshots that carried it were expired
 * @param foreign snapshots between the head and the carrier, newest first: none of ours
 * @param mirror what the table properties say
 * @param rolledBack whether the mirror shows a snapshot that the head no longer descends from
 */
public record TableTruth(
    @Nullable Snapshot head,
    @Nullable Opinion opinion,
    @Nullable Snapshot carrier,
    List<Snapshot> foreign,
    Mirror mirror,
    boolean rolledBack) {

  /** Reads the truth of a branch; nothing is known of one that does not exist. */
  public static TableTruth read(Table table, String branch) {
    return read(table, branch, IcebergHistory.of(table, branch));
  }

  /** Reads the truth that a commit to a branch is based on, also where it creates the branch. */
  public static TableTruth readForCommit(Table table, String branch) {
    return read(table, branch, IcebergHistory.beneath(table, branch));
  }

  private static TableTruth read(Table table, String branch, IcebergHistory history) {
    List<Snapshot> foreign = new ArrayList<>();
    Mirror mirror = mirrorOf(table, branch);
    Snapshot oldest = null;
    for (Iterator<Snapshot> snapshots = history.snapshots().iterator(); snapshots.hasNext(); ) {
      Snapshot snapshot = snapshots.next();
      Optional<Opinion> carried =
          FinalizationProperties.readOpinion(IcebergHistory.summary(snapshot));
      if (carried.isPresent()) {
        boolean rolledBack = !descendsFromMirror(table, history, mirror, carried.get());
        return new TableTruth(history.head(), carried.get(), snapshot, foreign, mirror, rolledBack);
      }
      foreign.add(snapshot);
      oldest = snapshot;
    }
    boolean rolledBack = !descendsFromMirror(table, history, mirror, null);
    // A mirror that names no snapshot was not written by any commit: somebody typed it.
    boolean expired =
        !rolledBack && oldest != null && mirror.snapshotId() != null && mirror.opinion() != null;
    return new TableTruth(
        history.head(), expired ? mirror.opinion() : null, null, foreign, mirror, rolledBack);
  }

  /** The watermark of the truth, exclusive; null if there is none. */
  public @Nullable Long watermarkMillis() {
    return opinion == null ? null : opinion.watermarkMillis();
  }

  /** Whether readers of properties see more than the table holds, because it was rolled back. */
  public boolean isRevoked() {
    Long published = mirror.watermarkMillis();
    Long held = watermarkMillis();
    return rolledBack && published != null && (held == null || published > held);
  }

  /** Whether the mirror must be written again to show the truth. */
  public boolean isMirrorStale() {
    Snapshot shown = carrier;
    return shown != null
        && opinion != null
        && !rolledBack
        && !mirror.equals(mirror.showing(opinion, shown.snapshotId(), mirrorTime(shown)));
  }

  /** The mirror that shows the truth. */
  public Mirror healedMirror() {
    Snapshot shown = Objects.requireNonNull(carrier, "no snapshot carries an opinion");
    return mirror.showing(
        Objects.requireNonNull(opinion, "opinion is null"), shown.snapshotId(), mirrorTime(shown));
  }

  /**
   * The time that a mirror may show for a snapshot: the one it has, where it already shows this
   * very snapshot (the commit wrote it before the store stamped the snapshot), else the snapshot's
   * own.
   */
  private long mirrorTime(Snapshot shown) {
    Long shownId = mirror.snapshotId();
    Long time = mirror.snapshotTimeMillis();
    boolean same = shownId != null && shownId == shown.snapshotId() && time != null;
    return same ? Objects.requireNonNull(time) : shown.timestampMillis();
  }

  /** The mirror belongs to main; on any other branch there is none. */
  static Mirror mirrorOf(Table table, String branch) {
    return Mirror.of(branch.equals(SnapshotRef.MAIN_BRANCH) ? table.properties() : Map.of());
  }

  /**
   * Whether the mirror's snapshot is on the ancestry, or was and has expired: it is gone, and older
   * than the oldest ancestor that is kept, and what the ancestry carries does not contradict it.
   */
  private static boolean descendsFromMirror(
      Table table, IcebergHistory history, Mirror mirror, @Nullable Opinion carried) {
    Long shown = mirror.snapshotId();
    if (shown == null) {
      return true;
    }
    boolean kept = table.snapshot(shown) != null;
    Snapshot oldest = null;
    for (Iterator<Snapshot> snapshots = history.snapshots().iterator(); snapshots.hasNext(); ) {
      oldest = snapshots.next();
      if (oldest.snapshotId() == shown) {
        return true;
      }
    }
    Long time = mirror.snapshotTimeMillis();
    return !kept
        && oldest != null
        && oldest.parentId() != null
        && time != null
        && time <= oldest.timestampMillis()
        && !contradicts(carried, mirror);
  }

  /**
   * An opinion never goes back along an ancestry: one that shows less than the mirror, or that says
   * itself that the table was rolled back, does not descend from what the mirror shows.
   */
  private static boolean contradicts(@Nullable Opinion carried, Mirror mirror) {
    if (carried == null) {
      return false;
    }
    Hold hold = carried.hold();
    Long published = mirror.watermarkMillis();
    Long held = carried.watermarkMillis();
    return (hold != null && hold.reason() == Hold.Reason.ROLLED_BACK)
        || (published != null && (held == null || held < published));
  }
}
