package dev.tidemark.pinot.row;

import org.apache.flink.api.java.typeutils.RowTypeInfo;

/**
 * {@link FlinkRowGenericRowConverter} under the name that the documentation of Pinot's own
 * connector uses.
 */
public class PinotRowRecordConverter extends FlinkRowGenericRowConverter {
  private static final long serialVersionUID = 1L;

  /** Converts rows of this type. */
  public PinotRowRecordConverter(RowTypeInfo rowTypeInfo) {
    super(rowTypeInfo);
  }
}
