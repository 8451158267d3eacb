package dev.tidemark.iceberg.flink;

import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.eventtime.RecordRole;
import dev.tidemark.iceberg.Mirror;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The column that holds the event time, by name and unit. Once a sink has written the table it is
 * bound by field id: a rename changes nothing, a drop or a change of type stops the job at its
 * start. Immutable.
 *
 * @param name a top-level column: a timestamp, or a number or text of the declared unit
 * @param unit the unit of a number, {@link EventTimeUnit#ISO_8601} for text; null for a timestamp
 * @param snapshotColumn a top-level boolean column that is true in rows of a bootstrap's snapshot,
 *     which are counted apart; null if there are none
 * @param backfillColumn a top-level boolean column that is true in rows that are old on purpose, or
 *     sent again, which are counted apart; null if there are none
 */
public record EventTimeColumn(
    String name,
    @Nullable EventTimeUnit unit,
    @Nullable String snapshotColumn,
    @Nullable String backfillColumn)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  public EventTimeColumn {
    Objects.requireNonNull(name, "name is null");
  }

  /** A timestamp column. */
  public static EventTimeColumn timestamp(String name) {
    return new EventTimeColumn(name, null, null, null);
  }

  /** A column of numbers or text in a declared unit. */
  public static EventTimeColumn of(String name, EventTimeUnit unit) {
    return new EventTimeColumn(name, Objects.requireNonNull(unit, "unit is null"), null, null);
  }

  /** The same column, with rows of a bootstrap's snapshot told by a boolean column. */
  public EventTimeColumn withSnapshotColumn(String column) {
    Objects.requireNonNull(column, "column is null");
    return new EventTimeColumn(name, unit, column, backfillColumn);
  }

  /**
   * The same column, with rows that are old on purpose, or sent again, told by a boolean column.
   */
  public EventTimeColumn withBackfillColumn(String column) {
    Objects.requireNonNull(column, "column is null");
    return new EventTimeColumn(name, unit, snapshotColumn, column);
  }

  /** The field that the column is bound to: by the table's own record of it, else by name. */
  Types.NestedField bind(Table table) {
    Mirror mirror = Mirror.of(table.properties());
    Integer boundId = mirror.eventTimeFieldId();
    Types.NestedField named = table.schema().findField(name);
    if (boundId == null) {
      if (named == null) {
        throw new IllegalArgumentException(
            "Missing event-time column \"%s\" in table %s (expected: one of %s)"
                .formatted(name, table.name(), table.schema().columns()));
      }
      return named;
    }
    Types.NestedField bound = table.schema().findField(boundId);
    if (bound == null) {
      throw new IllegalArgumentException(
          "Cannot find the event-time column of table %s: field %s (configured as \"%s\") was dropped. Its watermark rests on that column; to begin anew with another one, remove the property %s and expect consumers to see the change."
              .formatted(table.name(), boundId, name, Mirror.EVENT_TIME_FIELD_ID));
    }
    checkSameColumn(table, named, bound);
    String boundType = mirror.properties().get(Mirror.EVENT_TIME_TYPE);
    if (boundType != null && !boundType.equals(bound.type().toString())) {
      throw new IllegalArgumentException(
          "Cannot use event-time column \"%s\" of table %s: its type is now %s (expected: %s, as when its watermark began). To accept the new type, remove the property %s."
              .formatted(
                  bound.name(), table.name(), bound.type(), boundType, Mirror.EVENT_TIME_TYPE));
    }
    return bound;
  }

  /** The properties that keep the binding. */
  Map<String, String> bindingTo(Types.NestedField field) {
    Map<String, String> binding = new HashMap<>();
    binding.put(Mirror.EVENT_TIME_FIELD_ID, Integer.toString(field.fieldId()));
    binding.put(Mirror.EVENT_TIME_TYPE, field.type().toString());
    if (unit != null) {
      binding.put(Mirror.EVENT_TIME_UNIT, unit.name().toLowerCase(Locale.ROOT));
    }
    return binding;
  }

  /**
   * Reads the column from rows of this type.
   *
   * @param boundName the column's name now
   */
  EventTimeExtractor<RowData> extractor(RowType rows, String boundName) {
    int position = position(rows, boundName);
    LogicalType type = rows.getTypeAt(position);
    Roles roles =
        new Roles(
            flagPosition(rows, "snapshot", snapshotColumn),
            flagPosition(rows, "backfill", backfillColumn));
    return switch (type.getTypeRoot()) {
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
        checkUnit(unit == null, type);
        yield new TimestampColumn(position, LogicalTypeChecks.getPrecision(type), roles);
      }
      case BIGINT -> {
        checkUnit(unit != null && unit != EventTimeUnit.ISO_8601, type);
        yield new NumberColumn(position, Objects.requireNonNull(unit), roles);
      }
      case VARCHAR, CHAR -> {
        checkUnit(unit != null, type);
        yield new TextColumn(position, Objects.requireNonNull(unit), roles);
      }
      default ->
          throw new IllegalArgumentException(
              "Invalid event-time column \"%s\" of type %s (expected: a timestamp, a BIGINT or a STRING with its unit)"
                  .formatted(name, type));
    };
  }

  private void checkSameColumn(
      Table table, Types.@Nullable NestedField named, Types.NestedField bound) {
    if (named != null && named.fieldId() != bound.fieldId()) {
      throw new IllegalArgumentException(
          "Cannot use event-time column \"%s\" of table %s: its watermark rests on column \"%s\" (field %d). Configure that one, or remove the property %s to begin anew."
              .formatted(
                  name, table.name(), bound.name(), bound.fieldId(), Mirror.EVENT_TIME_FIELD_ID));
    }
  }

  private void checkUnit(boolean fits, LogicalType type) {
    if (!fits) {
      throw new IllegalArgumentException(
          "Invalid unit of event-time column \"%s\" of type %s: %s (expected: none for a timestamp, seconds to nanos or tso for a BIGINT, any for a STRING)"
              .formatted(name, type, unit));
    }
  }

  /** The position of a boolean column, or null if none is configured. */
  private static @Nullable Integer flagPosition(
      RowType rows, String role, @Nullable String column) {
    if (column == null) {
      return null;
    }
    int position = position(rows, column);
    if (rows.getTypeAt(position).getTypeRoot() != LogicalTypeRoot.BOOLEAN) {
      throw new IllegalArgumentException(
          "Invalid %s column \"%s\" of type %s (expected: BOOLEAN)"
              .formatted(role, column, rows.getTypeAt(position)));
    }
    return position;
  }

  private static int position(RowType rows, String column) {
    int position = rows.getFieldIndex(column);
    if (position < 0) {
      throw new IllegalArgumentException(
          "Missing column \"%s\" in the rows of the sink (expected: one of %s)"
              .formatted(column, rows.getFieldNames()));
    }
    return position;
  }

  /** Where a row says what it is; null where no column says so. */
  private record Roles(@Nullable Integer snapshot, @Nullable Integer backfill)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    boolean areTold() {
      return snapshot != null || backfill != null;
    }

    RecordRole of(RowData row) {
      if (isTrue(row, snapshot)) {
        return RecordRole.SNAPSHOT;
      }
      return isTrue(row, backfill) ? RecordRole.BACKFILL : RecordRole.STREAM;
    }

    private static boolean isTrue(RowData row, @Nullable Integer position) {
      return position != null && !row.isNullAt(position) && row.getBoolean(position);
    }
  }

  private abstract static class Column implements EventTimeExtractor<RowData> {
    private static final long serialVersionUID = 1L;
    final int position;
    private final @Nullable Roles roles;

    Column(int position, Roles roles) {
      this.position = position;
      this.roles = roles.areTold() ? roles : null;
    }

    @Override
    public boolean hasEventTime(RowData row) {
      return !row.isNullAt(position);
    }

    @Override
    public RecordRole role(RowData row) {
      return roles == null ? RecordRole.STREAM : roles.of(row);
    }
  }

  private static final class TimestampColumn extends Column {
    private static final long serialVersionUID = 1L;
    private final int precision;

    TimestampColumn(int position, int precision, Roles roles) {
      super(position, roles);
      this.precision = precision;
    }

    @Override
    public long eventTimeMillis(RowData row) {
      return row.getTimestamp(position, precision).getMillisecond();
    }
  }

  private static final class NumberColumn extends Column {
    private static final long serialVersionUID = 1L;
    private final EventTimeUnit unit;

    NumberColumn(int position, EventTimeUnit unit, Roles roles) {
      super(position, roles);
      this.unit = unit;
    }

    @Override
    public long eventTimeMillis(RowData row) {
      return unit.toMillis(row.getLong(position));
    }
  }

  private static final class TextColumn extends Column {
    private static final long serialVersionUID = 1L;
    private final EventTimeUnit unit;

    TextColumn(int position, EventTimeUnit unit, Roles roles) {
      super(position, roles);
      this.unit = unit;
    }

    /** Text that is no time becomes a time outside any bounds, so it is counted as invalid. */
    @Override
    public long eventTimeMillis(RowData row) {
      try {
        return unit.parseMillis(row.getString(position).toString());
      } catch (IllegalArgumentException e) {
        return Long.MIN_VALUE;
      }
    }
  }
}
