package dev.tidemark.cli.store;

/**
 * Where a table is: {@code lake.flights.ledger} is table {@code flights.ledger} of catalog {@code
 * lake}; {@code metrics.flights_REALTIME} is a Pinot table of catalog {@code metrics}.
 *
 * @param catalog the configured name, without dots
 * @param table the rest, as its store names it
 */
public record TableAddress(String catalog, String table) {
  /**
   * Reads a name.
   *
   * @throws IllegalArgumentException if it has no dot, or nothing on one side of the first
   */
  public static TableAddress parse(String name) {
    int dot = name.indexOf('.');
    if (dot <= 0 || dot == name.length() - 1) {
      throw new IllegalArgumentException(
          "Invalid table: \""
              + name
              + "\" (expected: CATALOG.NAMESPACE.TABLE for Iceberg, CATALOG.TABLE_OFFLINE or"
              + " CATALOG.TABLE_REALTIME for Pinot)");
    }
    return new TableAddress(name.substring(0, dot), name.substring(dot + 1));
  }

  @Override
  public String toString() {
    return catalog + "." + table;
  }
}
