package dev.tidemark.iceberg.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.accumulator.LongRange;
import dev.tidemark.finalization.accumulator.LongRangeAccumulatorFactory;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.iceberg.io.WriteResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CountingWriterTest {
  private static final LongRangeAccumulatorFactory<RowData> IDS =
      new LongRangeAccumulatorFactory<>("id", row -> row.getLong(0));

  private final StubbornWriter stock = new StubbornWriter();
  private final CountingWriter writer =
      new CountingWriter(stock, new Accumulators<>(List.of(IDS)).create());

  @Test
  void aRowThatFailedToBeWrittenLeavesNoFact() throws Exception {
    writer.write(GenericRowData.of(1L), new NoContext());
    assertThatThrownBy(() -> writer.write(GenericRowData.of(-7L), new NoContext()))
        .isInstanceOf(IOException.class);
    writer.write(GenericRowData.of(3L), new NoContext());

    assertThat(drained()).isEqualTo(new LongRange(2, 0, 1, 3));
  }

  @Test
  void theRowBeforeAnUpdateIsWrittenButNotCounted() throws Exception {
    writer.write(GenericRowData.ofKind(RowKind.UPDATE_BEFORE, 1L), new NoContext());
    writer.write(GenericRowData.ofKind(RowKind.UPDATE_AFTER, 2L), new NoContext());
    writer.write(GenericRowData.ofKind(RowKind.DELETE, 3L), new NoContext());

    assertThat(stock.written).isEqualTo(3);
    assertThat(drained()).isEqualTo(new LongRange(2, 0, 2, 3));
  }

  @Test
  void filesAndCountsOfACheckpointAreTakenTogether() throws Exception {
    writer.write(GenericRowData.of(1L), new NoContext());
    assertThat(drained().count()).isEqualTo(1);
    assertThat(drained()).isEqualTo(LongRange.EMPTY);
  }

  private LongRange drained() throws Exception {
    List<CountedWriteResult> results = List.copyOf(writer.prepareCommit());
    assertThat(results).hasSize(1);
    Map<String, byte[]> counted = results.get(0).counted();
    return IDS.codec().decode(Objects.requireNonNull(counted.get(IDS.name())));
  }

  /** Refuses negative ids. */
  private static final class StubbornWriter implements CommittingSinkWriter<RowData, WriteResult> {
    private int written;

    @Override
    public void write(RowData row, SinkWriter.Context context) throws IOException {
      if (row.getLong(0) < 0) {
        throw new IOException("no room for " + row);
      }
      written++;
    }

    @Override
    public Collection<WriteResult> prepareCommit() {
      return List.of(WriteResult.builder().build());
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public void close() {}
  }

  private static final class NoContext implements SinkWriter.Context {
    @Override
    public long currentWatermark() {
      return Long.MIN_VALUE;
    }

    @Override
    public @Nullable Long timestamp() {
      return null;
    }
  }
}
