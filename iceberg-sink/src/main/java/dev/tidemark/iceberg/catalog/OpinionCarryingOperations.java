package dev.tidemark.iceberg.catalog;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.iceberg.Mirror;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/**
 * Table operations that add the mirror to a commit whose new main snapshot carries an opinion. Each
 * attempt sees the base that it replaces, so taking the greater watermark of base and snapshot is a
 * true compare-and-set.
 */
final class OpinionCarryingOperations implements TableOperations {
  private final TableOperations inside;

  OpinionCarryingOperations(TableOperations inside) {
    this.inside = inside;
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    inside.commit(base, withMirror(base, metadata));
  }

  @Override
  public TableMetadata current() {
    return inside.current();
  }

  @Override
  public TableMetadata refresh() {
    return inside.refresh();
  }

  @Override
  public FileIO io() {
    return inside.io();
  }

  @Override
  public EncryptionManager encryption() {
    return inside.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return inside.metadataFileLocation(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return inside.locationProvider();
  }

  @Override
  public TableOperations temp(TableMetadata uncommittedMetadata) {
    return inside.temp(uncommittedMetadata);
  }

  @Override
  public long newSnapshotId() {
    return inside.newSnapshotId();
  }

  @Override
  public boolean requireStrictCleanup() {
    return inside.requireStrictCleanup();
  }

  private static TableMetadata withMirror(@Nullable TableMetadata base, TableMetadata metadata) {
    Snapshot head = metadata.currentSnapshot();
    Snapshot before = base == null ? null : base.currentSnapshot();
    if (head == null || (before != null && before.snapshotId() == head.snapshotId())) {
      return metadata;
    }
    boolean isNew = base == null || base.snapshot(head.snapshotId()) == null;
    Opinion opinion = isNew ? opinionOf(head) : null;
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
    Snapshot ancestor = head;
    while (ancestor != null && ancestor.snapshotId() != id) {
      Long parent = ancestor.parentId();
      ancestor = parent == null ? null : metadata.snapshot(parent);
    }
    return ancestor == null;
  }

  private static @Nullable Opinion opinionOf(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    return summary == null
        ? null
        : FinalizationProperties.readOpinion(Objects.requireNonNull(summary)).orElse(null);
  }
}
