package dev.tidemark.pipeline.schema;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ordered columns of a source table, derived from a message's Connect schema or declared by the
 * user for JSON without one. Immutable.
 */
public final class TableSchema implements Serializable {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // a LinkedHashMap
  private final Map<String, Column> columns;

  private TableSchema(Map<String, Column> columns) {
    this.columns = columns;
  }

  /**
   * A schema of these columns.
   *
   * @throws IllegalArgumentException when a name occurs twice
   */
  public static TableSchema of(List<Column> columns) {
    Map<String, Column> byName = new LinkedHashMap<>();
    for (Column column : columns) {
      if (byName.putIfAbsent(column.name(), column) != null) {
        throw new IllegalArgumentException(
            "Column " + column.name() + ": declared twice (expected: once)");
      }
    }
    return new TableSchema(byName);
  }

  /** See {@link #of(List)}. */
  public static TableSchema of(Column... columns) {
    return of(List.of(columns));
  }

  /** The columns in order. */
  public List<Column> columns() {
    return List.copyOf(columns.values());
  }

  public Optional<Column> column(String name) {
    return Optional.ofNullable(columns.get(name));
  }

  /** The column, or null: the same as {@link #column} for a hot path. */
  public @Nullable Column find(String name) {
    return columns.get(name);
  }

  /**
   * This schema, as it came with a message, made finer by what the user knows better than the wire:
   * a signed long is an unsigned one ({@link ColumnType.Kind#UINT64}), a text is a decimal ({@link
   * ColumnType.Kind#DECIMAL_TEXT}). On everything else the wire is right and the declaration may be
   * old: a scale that changed by ALTER TABLE is the wire's.
   */
  public TableSchema refinedBy(TableSchema declared) {
    Map<String, Column> refined = new LinkedHashMap<>(columns);
    refined.replaceAll((name, column) -> refined(column, declared.columns.get(name)));
    return new TableSchema(refined);
  }

  private static Column refined(Column wire, @Nullable Column declared) {
    if (declared == null) {
      return wire;
    }
    ColumnType.Kind from = wire.type().kind();
    ColumnType.Kind to = declared.type().kind();
    boolean finer =
        (from == ColumnType.Kind.INT64 && to == ColumnType.Kind.UINT64)
            || (from == ColumnType.Kind.STRING && to == ColumnType.Kind.DECIMAL_TEXT);
    return finer ? new Column(wire.name(), declared.type(), wire.nullable()) : wire;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TableSchema that && columns().equals(that.columns());
  }

  @Override
  public int hashCode() {
    return Objects.hash(columns());
  }

  @Override
  public String toString() {
    return columns.values().toString();
  }
}
