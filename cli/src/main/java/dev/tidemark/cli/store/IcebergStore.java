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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/** An Iceberg catalog, opened by Iceberg's usual catalog properties. */
final class IcebergStore implements Store {
  /** The branch to read; main if it is not set. Ours, not Iceberg's. */
  static final String BRANCH = "branch";

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
    Catalog catalog =
        asked(
            "Cannot open catalog " + name,
            () -> CatalogUtil.buildIcebergCatalog(name, properties, new Configuration(false)));
    return new IcebergStore(name, catalog, properties.getOrDefault(BRANCH, "main"), clock);
  }

  @Override
  public FinalityTable table(TableAddress address) {
    TableIdentifier identifier = TableIdentifier.parse(address.table());
    try {
      Table table = asked("Cannot load " + address, () -> catalog.loadTable(identifier));
      return new Opened(address, table);
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      throw new IllegalArgumentException(
          "Cannot find table "
              + address
              + " in catalog "
              + name
              + " (expected: "
              + name
              + ".NAMESPACE.TABLE)",
          e);
    }
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
    } catch (NoSuchTableException
        | NoSuchNamespaceException
        | IllegalArgumentException
        | IllegalStateException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new StoreUnreachableException(what + ": " + e.getMessage(), e);
    }
  }

  private final class Opened implements FinalityTable {
    private final TableAddress address;
    private final Table table;
    private final IcebergFinality finality;

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
      return asked("Cannot read " + address, finality::read);
    }

    @Override
    public Stream<RecentCommit> commits() {
      refresh();
      return IcebergHistory.of(table, branch).newestFirst();
    }

    @Override
    public List<String> revocation() {
      refresh();
      TableTruth truth = TableTruth.read(table, branch);
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

    private void refresh() {
      asked(
          "Cannot read " + address,
          () -> {
            table.refresh();
            return Map.of();
          });
    }

    private void change(Consumer<FinalizationAdmin> change) {
      asked(
          "Cannot change " + address,
          () -> {
            change.accept(FinalizationAdmin.of(table));
            return Map.of();
          });
    }
  }
}
