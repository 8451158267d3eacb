package dev.tidemark.iceberg.catalog;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.Mirror;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.jspecify.annotations.Nullable;

/**
 * Table operations that add the mirror to a commit whose new main snapshot carries an opinion. Each
 * attempt sees the base that it replaces, so taking the greater watermark of base and snapshot is a
 * true compare-and-set.
 */
final class OpinionCarryingOperations extends DelegatingOperations {
  OpinionCarryingOperations(TableOperations inside) {
    super(inside);
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    Snapshot head = newHead(base, metadata);
    if (head == null) {
      super.commit(base, metadata);
      return;
    }
    checkBasis(metadata, head);
    super.commit(base, withState(withMirror(metadata, head), head));
  }

  /** The snapshot that this commit makes and puts at the head of main; null if there is none. */
  private static @Nullable Snapshot newHead(@Nullable TableMetadata base, TableMetadata metadata) {
    Snapshot head = metadata.currentSnapshot();
    boolean isNew = head != null && (base == null || base.snapshot(head.snapshotId()) == null);
    return isNew ? head : null;
  }

  /** Refuses a head that was decided on a snapshot which is not its parent, rewrites left out. */
  private static void checkBasis(TableMetadata metadata, Snapshot head) {
    String basis = summary(head).get(FinalityCatalog.BASED_ON);
    if (basis == null) {
      return;
    }
    Long parent = head.parentId();
    while (parent != null && !basis.equals(parent.toString())) {
      Snapshot between = metadata.snapshot(parent);
      if (between == null || !DataOperations.REPLACE.equals(between.operation())) {
        throw moved(basis, parent);
      }
      parent = between.parentId();
    }
    if (parent == null && !basis.equals(FinalityCatalog.NO_SNAPSHOT)) {
      throw moved(basis, null);
    }
  }

  private static MovedTableException moved(String basis, @Nullable Long found) {
    return new MovedTableException(
        "Cannot commit: decided on snapshot "
            + basis
            + ", and the head is now "
            + (found == null ? FinalityCatalog.NO_SNAPSHOT : found)
            + " (expected: nothing but rewrites since). Decide again on the new head.");
  }

  /**
   * The properties repeat the state that the head carries. Where the head carries none they stay,
   * unless they are of a snapshot that it does not descend from: then the table was rolled back,
   * and they repeat what its ancestry carries.
   */
  private static TableMetadata withState(TableMetadata metadata, Snapshot head) {
    Map<String, String> own = JobState.own(head);
    if (!own.isEmpty()) {
      return TableMetadata.buildFrom(metadata).setProperties(JobState.shown(own, head)).build();
    }
    if (!isStateOfAnotherHistory(metadata, head)) {
      return metadata;
    }
    Map<String, String> carried = JobState.carried(head, metadata::snapshot);
    Set<String> gone = JobState.names(metadata.properties());
    gone.removeAll(carried.keySet());
    TableMetadata.Builder builder = TableMetadata.buildFrom(metadata).removeProperties(gone);
    return (carried.isEmpty() ? builder : builder.setProperties(JobState.shown(carried, head)))
        .build();
  }

  /**
   * Whether the head does not descend from the snapshot that the properties repeat. One that is
   * older than all ancestors that are kept tells nothing: a tag has kept it beyond an expiry.
   */
  private static boolean isStateOfAnotherHistory(TableMetadata metadata, Snapshot head) {
    String id = metadata.properties().get(JobState.SNAPSHOT_ID);
    return metadata.snapshots().stream()
        .filter(snapshot -> Long.toString(snapshot.snapshotId()).equals(id))
        .anyMatch(
            shown ->
                !descendsFrom(metadata, head, shown.snapshotId())
                    && JobState.oldest(head, metadata::snapshot).sequenceNumber()
                        <= shown.sequenceNumber());
  }

  private static boolean descendsFrom(TableMetadata metadata, Snapshot head, long id) {
    Snapshot ancestor = head;
    while (ancestor != null && ancestor.snapshotId() != id) {
      Long parent = ancestor.parentId();
      ancestor = parent == null ? null : metadata.snapshot(parent);
    }
    return ancestor != null;
  }

  private static TableMetadata withMirror(TableMetadata metadata, Snapshot head) {
    Opinion opinion = FinalizationProperties.readOpinion(summary(head)).orElse(null);
    if (opinion == null) {
      return metadata;
    }
    Mirror current = Mirror.of(metadata.properties());
    Mirror next = current.showing(opinion, head.snapshotId(), head.timestampMillis());
    if (current.equals(next)
        || isBehind(opinion, current)
        || isRolledBack(metadata, head, opinion, current)) {
      return metadata;
    }
    return TableMetadata.buildFrom(metadata)
        .setProperties(next.changesFrom(current))
        .removeProperties(next.removalsFrom(current))
        .build();
  }

  /** Whether the properties show a later watermark of the same epoch, or a later epoch. */
  private static boolean isBehind(Opinion opinion, Mirror shown) {
    Long epoch = shown.epoch();
    long published = epoch == null ? 0 : epoch;
    if (published != opinion.epoch()) {
      return published > opinion.epoch();
    }
    Long theirs = shown.watermarkMillis();
    Long ours = opinion.watermarkMillis();
    return theirs != null && (ours == null || ours < theirs);
  }

  /**
   * Whether the properties show a snapshot that the new head does not descend from, in an epoch
   * that no reset has ended: then they must stay ahead, so that readers see the rollback.
   */
  private static boolean isRolledBack(
      TableMetadata metadata, Snapshot head, Opinion opinion, Mirror shown) {
    Long id = shown.snapshotId();
    Long epoch = shown.epoch();
    if (id == null || opinion.epoch() > (epoch == null ? 0 : epoch)) {
      return false;
    }
    Hold hold = opinion.hold();
    if (metadata.snapshot(id) == null) {
      return hold != null && hold.reason() == Hold.Reason.ROLLED_BACK;
    }
    return !descendsFrom(metadata, head, id);
  }

  private static Map<String, String> summary(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary == null ? Map.of() : summary;
  }
}
