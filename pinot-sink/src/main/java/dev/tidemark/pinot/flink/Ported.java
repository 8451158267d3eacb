package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.row.PinotGenericRowConverter;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;

/** What the constructors of the connector that Pinot ships mean in options. */
final class Ported {
  private Ported() {}

  /**
   * @param rows of a segment
   * @param poolSize threads that build
   */
  record Flush(long rows, int poolSize) {}

  static <T> PinotSinkBuilder<T> builder(
      PinotGenericRowConverter<T> converter, TableConfig config, Schema schema, Flush flush) {
    return new PinotSinkBuilder<>(converter, config, schema)
        .segmentRows(flush.rows())
        .builds(flush.poolSize())
        .partitionIsSubtask();
  }
}
