package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.accumulator.AccumulatorSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.io.WriteResult;

/**
 * The stock writer with accumulators behind it: a row is counted after it was written, and what was
 * counted is taken in the same call that closes the files, so both always speak of the same rows.
 * UPDATE_BEFORE rows are written but not counted: they are no events of their own.
 */
final class CountingWriter implements CommittingSinkWriter<RowData, CountedWriteResult> {
  private final CommittingSinkWriter<RowData, WriteResult> stock;
  private final AccumulatorSet<RowData> accumulators;

  CountingWriter(
      CommittingSinkWriter<RowData, WriteResult> stock, AccumulatorSet<RowData> accumulators) {
    this.stock = stock;
    this.accumulators = accumulators;
  }

  @Override
  public void write(RowData row, SinkWriter.Context context)
      throws IOException, InterruptedException {
    stock.write(row, context);
    if (row.getRowKind() != RowKind.UPDATE_BEFORE) {
      accumulators.add(row);
    }
  }

  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    stock.flush(endOfInput);
  }

  @Override
  public Collection<CountedWriteResult> prepareCommit() throws IOException, InterruptedException {
    Map<String, byte[]> counted = accumulators.drain();
    List<CountedWriteResult> results = new ArrayList<>();
    for (WriteResult files : stock.prepareCommit()) {
      results.add(new CountedWriteResult(files, results.isEmpty() ? counted : Map.of()));
    }
    return results;
  }

  @Override
  public void close() throws Exception {
    stock.close();
  }
}
