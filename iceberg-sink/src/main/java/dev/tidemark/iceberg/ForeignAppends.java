package dev.tidemark.iceberg;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ForeignRows;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotChanges;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * What commits of others did to granules that were final, judged by the bounds of the files they
 * added. Rewrites of existing data add nothing and are stepped over.
 *
 * @param rows rows per granule below the watermark, each commit apart: each granule that a file
 *     reaches into could hold all of the file's rows, so this is an upper bound
 * @param unknown whether a file has no bounds of the event-time column
 */
public record ForeignAppends(ForeignRows rows, boolean unknown) {
  private static final ForeignAppends NOTHING = new ForeignAppends(ForeignRows.NONE, false);

  /** A file that reaches over more granules than this counts in the newest of them alone. */
  private static final int MAX_GRANULES_PER_FILE = 10_000;

  /** Looks at the foreign snapshots since a truth; nothing is final without a watermark. */
  public static ForeignAppends since(Table table, TableTruth truth) {
    return since(table, truth, List.of());
  }

  /**
   * The same, and files that are about to be committed on top of it although nobody counted their
   * rows: a sink without accumulators wrote them.
   */
  public static ForeignAppends since(Table table, TableTruth truth, List<DataFile> uncounted) {
    Long watermark = truth.watermarkMillis();
    if (watermark == null || truth.opinion() == null) {
      return NOTHING;
    }
    Granularity granularity = truth.opinion().policy().granularity();
    Long from = truth.opinion().watermark().fromMillis();
    Column column = Column.of(table);
    List<GranuleCounts> appends = new ArrayList<>();
    boolean unknown = false;
    for (List<DataFile> append : added(table, truth.foreign(), uncounted)) {
      SortedMap<Long, Long> rows = new TreeMap<>();
      for (DataFile file : append) {
        Reach reach = column == null ? null : Reach.of(column, file);
        if (reach == null) {
          unknown |= file.recordCount() > 0 && (column == null || !column.isNullThroughout(file));
        } else {
          addRows(rows, granularity, from == null ? watermark : from, watermark, reach);
        }
      }
      appends.add(GranuleCounts.of(rows));
    }
    return new ForeignAppends(new ForeignRows(appends), unknown);
  }

  /** The files of each commit, oldest first. */
  private static List<List<DataFile>> added(
      Table table, List<Snapshot> foreign, List<DataFile> uncounted) {
    List<List<DataFile>> added = new ArrayList<>();
    for (Snapshot snapshot : foreign) {
      if (!DataOperations.REPLACE.equals(snapshot.operation())
          && !DataOperations.DELETE.equals(snapshot.operation())) {
        List<DataFile> files = new ArrayList<>();
        SnapshotChanges.builderFor(table)
            .snapshot(snapshot)
            .build()
            .addedDataFiles()
            .forEach(files::add);
        added.add(files);
      }
    }
    Collections.reverse(added);
    added.add(uncounted);
    return added;
  }

  private static void addRows(
      SortedMap<Long, Long> rows, Granularity granularity, long from, long watermark, Reach reach) {
    if (reach.lowerMillis() >= watermark || reach.upperMillis() < from) {
      return;
    }
    long granule = granularity.floor(Math.min(reach.upperMillis(), watermark - 1));
    long lowest = granularity.floor(Math.max(reach.lowerMillis(), from));
    for (int i = 0; i < MAX_GRANULES_PER_FILE && granule >= lowest; i++) {
      rows.merge(granule, reach.rows(), Math::addExact);
      granule = granularity.previous(granule);
    }
  }

  /**
   * The column that tells event times.
   *
   * @param field its field
   * @param unit the unit of its numbers; null for a timestamp, or where it is not known
   */
  private record Column(Types.NestedField field, @Nullable EventTimeUnit unit) {
    static @Nullable Column of(Table table) {
      Mirror mirror = Mirror.of(table.properties());
      Integer fieldId = mirror.eventTimeFieldId();
      Types.NestedField field = fieldId == null ? null : table.schema().findField(fieldId);
      String unit = mirror.properties().get(Mirror.EVENT_TIME_UNIT);
      return field == null ? null : new Column(field, unit == null ? null : unitNamed(unit));
    }

    /** Rows without an event time are in no granule. */
    boolean isNullThroughout(DataFile file) {
      Map<Integer, Long> nulls = file.nullValueCounts();
      Long count = nulls == null ? null : nulls.get(field.fieldId());
      return count != null && count == file.recordCount();
    }

    /** Anybody may write properties: a unit that is none is as good as unknown. */
    private static @Nullable EventTimeUnit unitNamed(String name) {
      try {
        return EventTimeUnit.named(name);
      } catch (IllegalArgumentException e) {
        return null;
      }
    }

    @Nullable Long millis(@Nullable Map<Integer, ByteBuffer> bounds) {
      ByteBuffer bytes = bounds == null ? null : bounds.get(field.fieldId());
      Object value = bytes == null ? null : Conversions.fromByteBuffer(field.type(), bytes);
      if (!(value instanceof Long number)) {
        return null;
      }
      return switch (field.type().typeId()) {
        case TIMESTAMP -> EventTimeUnit.MICROS.toMillis(number);
        case TIMESTAMP_NANO -> EventTimeUnit.NANOS.toMillis(number);
        case LONG -> unit == null ? null : Long.valueOf(unit.toMillis(number));
        default -> null;
      };
    }
  }

  private record Reach(long lowerMillis, long upperMillis, long rows) {
    static @Nullable Reach of(Column column, DataFile file) {
      Long lower = column.millis(file.lowerBounds());
      Long upper = column.millis(file.upperBounds());
      return lower == null || upper == null ? null : new Reach(lower, upper, file.recordCount());
    }
  }
}
