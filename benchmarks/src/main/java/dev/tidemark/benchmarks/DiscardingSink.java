package dev.tidemark.benchmarks;

import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.table.data.RowData;

/** Throws all rows away. */
final class DiscardingSink implements Sink<RowData> {
  private static final long serialVersionUID = 1L;

  @Override
  public SinkWriter<RowData> createWriter(WriterInitContext context) {
    return new SinkWriter<>() {
      @Override
      public void write(RowData row, Context context) {}

      @Override
      public void flush(boolean endOfInput) {}

      @Override
      public void close() {}
    };
  }
}
