package dev.tidemark.integration.iceberg;

import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** A JdbcCatalog whose commits fail as {@link Faults} say. Loaded by its class name. */
public final class FaultyCatalog extends JdbcCatalog {
  private String uri;

  @Override
  public void initialize(String name, Map<String, String> properties) {
    this.uri = properties.get(CatalogProperties.URI);
    super.initialize(name, properties);
  }

  @Override
  protected TableOperations newTableOps(TableIdentifier identifier) {
    return new FaultyOperations(super.newTableOps(identifier), Faults.of(uri, identifier.name()));
  }

  private record FaultyOperations(TableOperations store, Faults faults) implements TableOperations {
    @Override
    public void commit(TableMetadata base, TableMetadata next) {
      faults.commit(store, base, next);
    }

    @Override
    public TableMetadata current() {
      return store.current();
    }

    @Override
    public TableMetadata refresh() {
      return store.refresh();
    }

    @Override
    public FileIO io() {
      return store.io();
    }

    @Override
    public EncryptionManager encryption() {
      return store.encryption();
    }

    @Override
    public String metadataFileLocation(String fileName) {
      return store.metadataFileLocation(fileName);
    }

    @Override
    public LocationProvider locationProvider() {
      return store.locationProvider();
    }

    @Override
    public TableOperations temp(TableMetadata uncommitted) {
      return store.temp(uncommitted);
    }

    @Override
    public long newSnapshotId() {
      return store.newSnapshotId();
    }

    @Override
    public boolean requireStrictCleanup() {
      return store.requireStrictCleanup();
    }
  }
}
