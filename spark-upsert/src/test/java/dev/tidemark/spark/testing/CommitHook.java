package dev.tidemark.spark.testing;

import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/**
 * What happens around the commits of one table of a {@link TestLake} with hooks, whoever makes
 * them: beneath the check that a commit is decided on the head, right before and after the store's
 * own atomic step.
 */
public interface CommitHook {
  /** Before the store is asked; the metadata is what the commit would make. */
  default void before(TableMetadata next) {}

  /** After the store has taken it. */
  default void after(TableMetadata committed) {}

  /** Operations with the hooks of whoever is registered when they commit. */
  record Operations(TableOperations inside) implements TableOperations {
    @Override
    public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
      CommitHook hook = CommitHooks.of(metadata);
      hook.before(metadata);
      inside.commit(base, metadata);
      hook.after(metadata);
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
}
