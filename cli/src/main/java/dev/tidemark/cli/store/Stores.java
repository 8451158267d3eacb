package dev.tidemark.cli.store;

import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;

/** Opens tables by their address; each catalog is opened once. Used by one thread at a time. */
public final class Stores implements AutoCloseable {
  private static final String TYPE = "type";
  private static final String PINOT = "pinot";

  private final CatalogSettings settings;
  private final Clock clock;
  private final Map<String, Store> open = new HashMap<>();

  /**
   * With these catalogs.
   *
   * @param clock tells the age of answers
   */
  public Stores(CatalogSettings settings, Clock clock) {
    this.settings = Objects.requireNonNull(settings, "settings is null");
    this.clock = Objects.requireNonNull(clock, "clock is null");
  }

  /**
   * Opens a table.
   *
   * @throws IllegalArgumentException if the name, the catalog or its settings are not understood,
   *     or there is no such table
   * @throws StoreUnreachableException if the store does not answer
   */
  public FinalityTable table(TableAddress address) {
    return open.computeIfAbsent(address.catalog(), this::store).table(address);
  }

  /**
   * All tables of all configured catalogs, whether they carry finalization metadata or not.
   *
   * @throws StoreUnreachableException if a store does not answer
   */
  public List<TableAddress> tables() {
    return settings.catalogs().keySet().stream()
        .flatMap(
            catalog ->
                open.computeIfAbsent(catalog, this::store).tables().stream()
                    .map(table -> new TableAddress(catalog, table)))
        .toList();
  }

  private Store store(String catalog) {
    SortedMap<String, String> properties = settings.of(catalog);
    return PINOT.equals(properties.get(TYPE))
        ? PinotStore.open(catalog, properties, clock)
        : IcebergStore.open(catalog, properties, clock);
  }

  @Override
  public void close() {
    open.values().forEach(Store::close);
  }
}
