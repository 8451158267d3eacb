package dev.tidemark.cli.store;

import java.util.List;

/** One opened catalog. */
interface Store extends AutoCloseable {
  FinalityTable table(TableAddress address);

  /** The names of all tables, as its addresses have them after the catalog. */
  List<String> tables();

  @Override
  void close();
}
