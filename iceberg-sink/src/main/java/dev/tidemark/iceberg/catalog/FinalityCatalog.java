package dev.tidemark.iceberg.catalog;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.catalog.ViewCatalog;
import org.apache.iceberg.exceptions.NoSuchViewException;
import org.apache.iceberg.hadoop.Configurable;
import org.apache.iceberg.view.View;
import org.apache.iceberg.view.ViewBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A catalog around any other that carries the opinion of a snapshot's summary into the table's
 * properties, in the same metadata version: whatever engine commits a snapshot with {@code
 * finalization.*} keys, readers of properties see it at once, and the watermark never moves back.
 *
 * <p>Used as {@code catalog-impl=dev.tidemark.iceberg.catalog.FinalityCatalog} together with {@code
 * finality.catalog-impl} (a class) or {@code finality.type} ({@code jdbc}, {@code hadoop}, {@code
 * hive}, {@code rest}, …), which name the catalog inside; all other properties go to that one.
 * Tables that are created inside a transaction (CREATE TABLE AS) carry opinions from their next
 * commit on. Holds views where the catalog inside does. As thread-safe as the catalog inside.
 */
public final class FinalityCatalog
    implements Catalog, ViewCatalog, SupportsNamespaces, Configurable<Object>, Closeable {
  /** Names the class of the catalog inside. */
  public static final String DELEGATE_IMPL = "finality.catalog-impl";

  /**
   * A key in the summary of a snapshot that was decided on another: that one's id, or {@value
   * #NO_SNAPSHOT}. Where anything but a rewrite of existing data stands between the two, the commit
   * is refused with a {@link MovedTableException}: an engine's commit becomes compare-and-set.
   */
  public static final String BASED_ON = FinalizationProperties.PREFIX + "based-on";

  /** The value of {@link #BASED_ON} for a table without a snapshot. */
  public static final String NO_SNAPSHOT = "none";

  /**
   * The prefix of summary keys that hold the state of a job which writes the table. They are copied
   * into the properties in the same metadata version, so that the state outlives the snapshot; see
   * {@link JobState}.
   */
  public static final String STATE_PREFIX = "tidemark.state.";

  /** Names the type of the catalog inside: jdbc, hadoop, hive, rest. */
  public static final String DELEGATE_TYPE = "finality.type";

  private @Nullable Catalog inside;
  private @Nullable Object conf;

  /** For engines, which call {@link #initialize}. */
  public FinalityCatalog() {}

  @Override
  public void initialize(String name, Map<String, String> properties) {
    Map<String, String> delegate = new HashMap<>(properties);
    String impl = delegate.remove(DELEGATE_IMPL);
    String type = delegate.remove(DELEGATE_TYPE);
    delegate.remove(CatalogProperties.CATALOG_IMPL);
    delegate.remove(CatalogUtil.ICEBERG_CATALOG_TYPE);
    if ((impl == null) == (type == null)) {
      throw new IllegalArgumentException(
          "Cannot make catalog "
              + name
              + ": "
              + DELEGATE_IMPL
              + "="
              + impl
              + ", "
              + DELEGATE_TYPE
              + "="
              + type
              + " (expected: exactly one of them, naming the catalog inside)");
    }
    delegate.put(
        impl != null ? CatalogProperties.CATALOG_IMPL : CatalogUtil.ICEBERG_CATALOG_TYPE,
        impl != null ? impl : type);
    this.inside = CatalogUtil.buildIcebergCatalog(name, delegate, conf);
  }

  @Override
  public void setConf(Object newConf) {
    this.conf = newConf;
  }

  @Override
  public String name() {
    return inside().name();
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    return inside().listTables(namespace);
  }

  @Override
  public Table loadTable(TableIdentifier identifier) {
    return carrying(inside().loadTable(identifier));
  }

  @Override
  public Table registerTable(TableIdentifier identifier, String metadataFileLocation) {
    return carrying(inside().registerTable(identifier, metadataFileLocation));
  }

  @Override
  public boolean tableExists(TableIdentifier identifier) {
    return inside().tableExists(identifier);
  }

  @Override
  public boolean dropTable(TableIdentifier identifier, boolean purge) {
    return inside().dropTable(identifier, purge);
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    inside().renameTable(from, to);
  }

  @Override
  public void invalidateTable(TableIdentifier identifier) {
    inside().invalidateTable(identifier);
  }

  @Override
  public Table createTable(
      TableIdentifier identifier,
      Schema schema,
      PartitionSpec spec,
      String location,
      Map<String, String> properties) {
    return carrying(inside().createTable(identifier, schema, spec, location, properties));
  }

  @Override
  public Transaction newCreateTableTransaction(
      TableIdentifier identifier,
      Schema schema,
      PartitionSpec spec,
      String location,
      Map<String, String> properties) {
    return inside().newCreateTableTransaction(identifier, schema, spec, location, properties);
  }

  @Override
  public Transaction newReplaceTableTransaction(
      TableIdentifier identifier,
      Schema schema,
      PartitionSpec spec,
      String location,
      Map<String, String> properties,
      boolean orCreate) {
    return inside()
        .newReplaceTableTransaction(identifier, schema, spec, location, properties, orCreate);
  }

  @Override
  public TableBuilder buildTable(TableIdentifier identifier, Schema schema) {
    return new CarryingTableBuilder(inside().buildTable(identifier, schema));
  }

  @Override
  public void createNamespace(Namespace namespace, Map<String, String> metadata) {
    namespaces().createNamespace(namespace, metadata);
  }

  @Override
  public List<Namespace> listNamespaces(Namespace namespace) {
    return namespaces().listNamespaces(namespace);
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(Namespace namespace) {
    return namespaces().loadNamespaceMetadata(namespace);
  }

  @Override
  public boolean dropNamespace(Namespace namespace) {
    return namespaces().dropNamespace(namespace);
  }

  @Override
  public boolean setProperties(Namespace namespace, Map<String, String> properties) {
    return namespaces().setProperties(namespace, properties);
  }

  @Override
  public boolean removeProperties(Namespace namespace, Set<String> properties) {
    return namespaces().removeProperties(namespace, properties);
  }

  @Override
  public List<TableIdentifier> listViews(Namespace namespace) {
    return inside() instanceof ViewCatalog views ? views.listViews(namespace) : List.of();
  }

  @Override
  public View loadView(TableIdentifier identifier) {
    if (inside() instanceof ViewCatalog views) {
      return views.loadView(identifier);
    }
    throw new NoSuchViewException("View does not exist: %s", identifier);
  }

  @Override
  public boolean viewExists(TableIdentifier identifier) {
    return inside() instanceof ViewCatalog views && views.viewExists(identifier);
  }

  @Override
  public ViewBuilder buildView(TableIdentifier identifier) {
    return views().buildView(identifier);
  }

  @Override
  public boolean dropView(TableIdentifier identifier) {
    return inside() instanceof ViewCatalog views && views.dropView(identifier);
  }

  @Override
  public void renameView(TableIdentifier from, TableIdentifier to) {
    views().renameView(from, to);
  }

  @Override
  public void invalidateView(TableIdentifier identifier) {
    if (inside() instanceof ViewCatalog views) {
      views.invalidateView(identifier);
    }
  }

  @Override
  public View registerView(TableIdentifier identifier, String metadataFileLocation) {
    return views().registerView(identifier, metadataFileLocation);
  }

  @Override
  public void close() throws IOException {
    if (inside instanceof Closeable closeable) {
      closeable.close();
    }
  }

  /** Whether commits to this table handle carry opinions, as those of this catalog's tables do. */
  public static boolean carries(Table table) {
    return table instanceof HasTableOperations has
        && has.operations() instanceof OpinionCarryingOperations;
  }

  /** The table with commits that carry opinions; metadata tables and the like stay as they are. */
  static Table carrying(Table table) {
    if (table instanceof BaseTable base
        && !(base.operations() instanceof OpinionCarryingOperations)) {
      return new BaseTable(
          new OpinionCarryingOperations(((HasTableOperations) base).operations()),
          base.name(),
          base.reporter());
    }
    return table;
  }

  private Catalog inside() {
    if (inside == null) {
      throw new IllegalStateException("Cannot use the catalog before initialize was called");
    }
    return inside;
  }

  private ViewCatalog views() {
    if (inside() instanceof ViewCatalog views) {
      return views;
    }
    throw new UnsupportedOperationException(
        "Cannot hold views: catalog "
            + inside().name()
            + " has none (expected: one that does, such as jdbc with jdbc.schema-version=V1, or rest)");
  }

  private SupportsNamespaces namespaces() {
    if (inside() instanceof SupportsNamespaces namespaces) {
      return namespaces;
    }
    throw new UnsupportedOperationException(
        "Cannot use namespaces: catalog " + inside().name() + " has none");
  }
}
