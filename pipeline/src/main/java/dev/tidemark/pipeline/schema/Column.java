package dev.tidemark.pipeline.schema;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;

/** A column of a source table. */
public record Column(String name, ColumnType type, boolean nullable) implements Serializable {
  public Column {
    requireNonNull(name, "name is null");
    requireNonNull(type, "type is null");
  }

  /** A column that is never null. */
  public static Column required(String name, ColumnType type) {
    return new Column(name, type, false);
  }

  /** A column that may be null. */
  public static Column optional(String name, ColumnType type) {
    return new Column(name, type, true);
  }
}
