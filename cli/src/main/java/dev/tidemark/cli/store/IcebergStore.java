package dev.tidemark.cli.store;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.iceberg.IcebergFinality;
import dev.tidemark.iceberg.IcebergHistory;
import dev.tidemark.iceberg.TableTruth;
import dev.tidemark.iceberg.commit.FinalizationAdmin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.jspecify.annotations.Nullable;

/** An Iceberg catalog, opened by Iceberg's usual catalog properties. */
final class IcebergStore implements Store {
  /** The branch to read; main if it is not set. Ours, not Iceberg's. */
  static final String BRANCH = "branch";

  /** The name that Iceberg knows the catalog by, which JDBC keeps with each table. Ours. */
  static final String CATALOG_NAME = "catalog-name";

  /** Who only reads creates no tables in a database, least of all in the wrong one. */
  private static final String CREATE_JDBC_TABLES = "jdbc.init-catalog-tables";

  private final String name;
  private final Catalog catalog;
  private final String branch;
  private final Clock clock;

  private IcebergStore(String name, Catalog catalog, String branch, Clock clock) {
    this.name = name;
    this.catalog = catalog;
    this.branch = branch;
    this.clock = clock;
  }

  static IcebergStore open(String name, SortedMap<String, String> properties, Clock clock) {
    SortedMap<String, String> reading = new TreeMap<>(properties);
    reading.putIfAbsent(CREATE_JDBC_TABLES, "false");
    Catalog catalog = asked("Cannot open catalog " + name, () -> build(name, reading));
    return new IcebergStore(
        name, catalog, properties.getOrDefault(BRANCH, SnapshotRef.MAIN_BRANCH), clock);
  }

  /** Iceberg says by a NullPointerException that a property is missing. */
  private static Catalog build(String name, SortedMap<String, String> properties) {
    try {
      return CatalogUtil.buildIcebergCatalog(
          properties.getOrDefault(CATALOG_NAME, name), properties, new Configuration(false));
    } catch (NullPointerException e) {
      throw new IllegalArgumentException(
          "Cannot open catalog "
              + name
              + ": "
              + e.getMessage()
              + " (expected: the properties of its type)",
          e);
    }
  }

  @Override
  public FinalityTable table(TableAddress address) {
    TableIdentifier identifier = TableIdentifier.parse(address.table());
    return new Opened(
        address, asked("Cannot find table " + address, () -> catalog.loadTable(identifier)));
  }

  @Override
  public List<String> tables() {
    if (!(catalog instanceof SupportsNamespaces namespaces)) {
      throw new IllegalArgumentException(
          "Cannot list the tables of catalog " + name + " (expected: one with namespaces)");
    }
    return asked(
        "Cannot list the tables of catalog " + name,
        () -> tables(namespaces, Namespace.empty()).map(TableIdentifier::toString).toList());
  }

  private Stream<TableIdentifier> tables(SupportsNamespaces namespaces, Namespace parent) {
    return namespaces.listNamespaces(parent).stream()
        .flatMap(
            namespace ->
                Stream.concat(
                    catalog.listTables(namespace).stream(), tables(namespaces, namespace)));
  }

  @Override
  public void close() {
    if (catalog instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (Exception e) {
        throw new IllegalStateException("Cannot close catalog " + name, e);
      }
    }
  }

  /** What a store throws when it cannot be reached has no common type: all but what is usage. */
  private static <T> T asked(String what, Supplier<T> question) {
    try {
      return question.get();
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      throw new TableNotFoundException(
          what + ": it is not there (expected: CATALOG.NAMESPACE.TABLE of a table)", e);
    } catch (NotAuthorizedException | ForbiddenException e) {
      throw new IllegalArgumentException(
          what + ": " + e.getMessage() + " (expected: a catalog that lets this user in)", e);
    } catch (IllegalArgumentException | IllegalStateException | NullPointerException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new StoreUnreachableException(what + ": " + e.getMessage(), e);
    }
  }

  private final class Opened implements FinalityTable {
    private final TableAddress address;
    private final Table table;
    private final IcebergFinality finality;

    /** Whether the handle shows what {@link #finality()} read, as of which all else is told. */
    private boolean isRead;

    Opened(TableAddress address, Table table) {
      this.address = address;
      this.table = table;
      this.finality = IcebergFinality.of(table, branch, clock);
    }

    @Override
    public String name() {
      return address.toString();
    }

    @Override
    public TableFinality finality() {
      TableFinality read = asked("Cannot read " + address, finality::read);
      isRead = true;
      return read;
    }

    @Override
    public Stream<RecentCommit> commits() {
      refreshOnce();
      return asked("Cannot read " + address, () -> IcebergHistory.of(table, branch).newestFirst());
    }

    @Override
    public List<String> revocation() {
      refreshOnce();
      TableTruth truth = asked("Cannot read " + address, () -> TableTruth.read(table, branch));
      return truth.isRevoked()
          ? List.of(
              "the table was rolled back: its property shows snapshot "
                  + truth.mirror().snapshotId()
                  + ", which the head no longer descends from")
          : List.of();
    }

    @Override
    public void retire(String writer) {
      change(admin -> admin.retire(writer));
    }

    @Override
    public void completeBootstrap(Instant from) {
      change(admin -> admin.completeBootstrap(from));
    }

    @Override
    public void reset() {
      change(FinalizationAdmin::reset);
    }

    @Override
    public FinalTag tag(String name, long startMillis, long endMillis, @Nullable Duration keep) {
      refresh();
      return asked(
          "Cannot tag " + address,
          () ->
              new FinalTags(address.toString(), table, branch, clock)
                  .tag(name, startMillis, endMillis, keep));
    }

    private void refreshOnce() {
      if (!isRead) {
        refresh();
      }
    }

    private void refresh() {
      asked(
          "Cannot read " + address,
          () -> {
            table.refresh();
            return Map.of();
          });
    }

    /** An administrator speaks of main: the mirror, which consumers read, belongs to it. */
    private void change(Consumer<FinalizationAdmin> change) {
      if (!branch.equals(SnapshotRef.MAIN_BRANCH)) {
        throw new IllegalArgumentException(
            "Cannot change "
                + address
                + ": catalog "
                + IcebergStore.this.name
                + " reads branch "
                + branch
                + " (expected: main, whose opinion alone an administrator changes)");
      }
      asked(
          "Cannot change " + address,
          () -> {
            change.accept(FinalizationAdmin.of(table));
            return Map.of();
          });
    }
  }
}
