package dev.tidemark.iceberg.catalog;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/** Table operations around others, to step in at a commit. As thread-safe as those inside. */
public class DelegatingOperations implements TableOperations {
  private final TableOperations inside;

  public DelegatingOperations(TableOperations inside) {
    this.inside = inside;
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    inside.commit(base, metadata);
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
}
