package dev.tidemark.pinot.segment;

import dev.tidemark.pinot.segment.RejectedRowException.Reason;
import dev.tidemark.pinot.segment.SegmentTable.Prepared;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.pinot.segment.local.recordtransformer.DataTypeTransformer;
import org.apache.pinot.segment.local.recordtransformer.RecordTransformerUtils;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.recordtransformer.RecordTransformer;

/**
 * What the table's ingestion configuration does to a row before its values are brought to the types
 * of their columns: enrichment, unnesting, transforms, the filter. Done by Pinot's own
 * transformers, once; nothing at all for a table that configures none. Used by one thread.
 */
final class RowPreparation {
  private final List<RecordTransformer> transformers;

  RowPreparation(Prepared table) {
    this.transformers = beforeTypes(table);
  }

  /**
   * The rows that come of this one, which itself is not changed; none if the filter drops it.
   *
   * @throws RejectedRowException if a transform or the filter fails
   */
  List<GenericRow> prepare(GenericRow row) throws RejectedRowException {
    if (Boolean.TRUE.equals(row.getValue(GenericRow.SKIP_RECORD_KEY))) {
      return List.of();
    }
    List<GenericRow> given = severalRows(row);
    if (transformers.isEmpty()) {
      return given;
    }
    try {
      List<GenericRow> rows = copies(given);
      for (RecordTransformer transformer : transformers) {
        rows = transformer.transform(rows);
      }
      return rows;
    } catch (RuntimeException e) {
      throw new RejectedRowException(
          Reason.TRANSFORM_FAILED, "Cannot apply the table's ingestion transforms", null, null, e);
    }
  }

  /** Some decoders hand over several rows in one. */
  @SuppressWarnings("unchecked") // as Pinot declares the reserved field
  private static List<GenericRow> severalRows(GenericRow row) {
    Object several = row.getValue(GenericRow.MULTIPLE_RECORDS_KEY);
    return several == null ? List.of(row) : (List<GenericRow>) several;
  }

  private static List<GenericRow> copies(List<GenericRow> rows) {
    List<GenericRow> copies = new ArrayList<>(rows.size());
    for (GenericRow row : rows) {
      GenericRow copy = new GenericRow();
      copy.init(row);
      copies.add(copy);
    }
    return copies;
  }

  private static List<RecordTransformer> beforeTypes(Prepared table) {
    List<RecordTransformer> all =
        RecordTransformerUtils.getDefaultTransformers(table.config(), table.schema());
    // Each is told what those behind it read; unnesting keeps these columns.
    Set<String> read = new HashSet<>();
    for (int i = all.size() - 1; i >= 0; i--) {
      all.get(i).withInputColumnsForDownstreamTransformers(read);
      read.addAll(all.get(i).getInputColumns());
    }
    List<RecordTransformer> before = new ArrayList<>();
    for (RecordTransformer transformer : all) {
      if (transformer instanceof DataTypeTransformer) {
        break;
      }
      before.add(transformer);
    }
    return before;
  }
}
