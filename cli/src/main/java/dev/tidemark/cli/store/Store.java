package dev.tidemark.cli.store;

/** One opened catalog. */
interface Store extends AutoCloseable {
  FinalityTable table(TableAddress address);

  @Override
  void close();
}
