package dev.tidemark.pipeline.event;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;

/** A table of the source database. Names are kept as the source spells them. */
public record TableId(String database, String table) implements Serializable {
  public TableId {
    requireNonNull(database, "database is null");
    requireNonNull(table, "table is null");
  }

  @Override
  public String toString() {
    return database + "." + table;
  }
}
