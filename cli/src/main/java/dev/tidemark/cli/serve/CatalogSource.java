package dev.tidemark.cli.serve;

import dev.tidemark.cli.store.CatalogSettings;
import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.cli.store.Stores;
import dev.tidemark.cli.store.TableAddress;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * A handle on one table for one thread, which opens its catalog when first asked, and again after a
 * failure.
 */
final class CatalogSource implements TableSource {
  private final CatalogSettings settings;
  private final TableAddress address;
  private final Clock clock;
  private @Nullable Stores stores;
  private @Nullable FinalityTable table;

  CatalogSource(CatalogSettings settings, TableAddress address, Clock clock) {
    this.settings = settings;
    this.address = address;
    this.clock = clock;
  }

  @Override
  public String name() {
    return address.toString();
  }

  @Override
  public FinalityTable table() {
    FinalityTable opened = table;
    if (opened == null) {
      Stores fresh = new Stores(settings, clock);
      stores = fresh;
      opened = fresh.table(address);
      table = opened;
    }
    return opened;
  }

  /** Closes; the next {@link #table()} opens anew. */
  @Override
  public void close() {
    Stores opened = stores;
    stores = null;
    table = null;
    if (opened != null) {
      opened.close();
    }
  }
}
