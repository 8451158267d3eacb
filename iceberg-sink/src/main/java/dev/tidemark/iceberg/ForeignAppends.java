package dev.tidemark.iceberg;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * What commits of others did to granules that were final, judged by the bounds of the files they
 * added. Rewrites of existing data add nothing and are stepped over.
 *
 * @param rows rows per granule below the watermark: each granule that a file reaches into could
 *     hold all of the file's rows, so this is an upper bound
 * @param unknown whether a file has no bounds of the event-time column
 */
public record ForeignAppends(GranuleCounts rows, boolean unknown) {
  private static final ForeignAppends NOTHING = new ForeignAppends(GranuleCounts.none(), false);

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
    Integer fieldId = Mirror.of(table.properties()).eventTimeFieldId();
    SortedMap<Long, Long> rows = new TreeMap<>();
    boolean unknown = false;
    for (DataFile file : added(table, truth.foreign(), uncounted)) {
      Reach reach = fieldId == null ? null : Reach.of(table, file, fieldId);
      if (reach == null) {
        unknown |= file.recordCount() > 0;
      } else {
        addRows(rows, granularity, from == null ? watermark : from, watermark, reach);
      }
    }
    return new ForeignAppends(GranuleCounts.of(rows), unknown);
  }

  private static List<DataFile> added(
      Table table, List<Snapshot> foreign, List<DataFile> uncounted) {
    List<DataFile> added = new ArrayList<>(uncounted);
    for (Snapshot snapshot : foreign) {
      if (!DataOperations.REPLACE.equals(snapshot.operation())
          && !DataOperations.DELETE.equals(snapshot.operation())) {
        snapshot.addedDataFiles(table.io()).forEach(added::add);
      }
    }
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

  private record Reach(long lowerMillis, long upperMillis, long rows) {
    static @Nullable Reach of(Table table, DataFile file, int fieldId) {
      Types.NestedField field = table.schema().findField(fieldId);
      Long lower = field == null ? null : bound(file.lowerBounds(), field);
      Long upper = field == null ? null : bound(file.upperBounds(), field);
      return lower == null || upper == null ? null : new Reach(lower, upper, file.recordCount());
    }

    private static @Nullable Long bound(
        @Nullable Map<Integer, ByteBuffer> bounds, Types.NestedField field) {
      ByteBuffer bytes = bounds == null ? null : bounds.get(field.fieldId());
      if (bytes == null) {
        return null;
      }
      Object value = Conversions.fromByteBuffer(field.type(), bytes);
      if (!(value instanceof Long number)) {
        return null;
      }
      Type.TypeID type = field.type().typeId();
      return switch (type) {
        case TIMESTAMP -> Math.floorDiv(number, 1_000L);
        case TIMESTAMP_NANO -> Math.floorDiv(number, 1_000_000L);
        default -> null;
      };
    }
  }
}
