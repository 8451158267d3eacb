package dev.tidemark.benchmarks;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** A source without splits and state that emits what a {@link RowGate} lets pass. */
final class GatedSource implements Source<RowData, GatedSource.NoSplit, GatedSource.NoSplit> {
  private static final long serialVersionUID = 1L;
  private static final int ROWS_PER_POLL = 64;

  private final String gate;

  GatedSource(String gate) {
    this.gate = gate;
  }

  /** There is none. */
  static final class NoSplit implements SourceSplit {
    @Override
    public String splitId() {
      return "none";
    }
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<RowData, NoSplit> createReader(SourceReaderContext context) {
    return new Reader(RowGate.find(gate));
  }

  @Override
  public SplitEnumerator<NoSplit, NoSplit> createEnumerator(
      SplitEnumeratorContext<NoSplit> context) {
    return new Enumerator();
  }

  @Override
  public SplitEnumerator<NoSplit, NoSplit> restoreEnumerator(
      SplitEnumeratorContext<NoSplit> context, NoSplit nothing) {
    throw new UnsupportedOperationException("Cannot restore a source without state");
  }

  @Override
  public SimpleVersionedSerializer<NoSplit> getSplitSerializer() {
    return new NothingSerializer();
  }

  @Override
  public SimpleVersionedSerializer<NoSplit> getEnumeratorCheckpointSerializer() {
    return new NothingSerializer();
  }

  private static final class Reader implements SourceReader<RowData, NoSplit> {
    private final RowGate gate;
    private long position;

    Reader(RowGate gate) {
      this.gate = gate;
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<RowData> output) {
      long released = gate.released();
      long end = Math.min(released, position + ROWS_PER_POLL);
      while (position < end) {
        output.collect(gate.row(position++));
      }
      if (position < released) {
        return InputStatus.MORE_AVAILABLE;
      }
      gate.allPassed();
      return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public List<NoSplit> snapshotState(long checkpointId) {
      return List.of();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
      return gate.opened(position);
    }

    @Override
    public void addSplits(List<NoSplit> splits) {}

    @Override
    public void notifyNoMoreSplits() {}

    @Override
    public void close() {}
  }

  private static final class Enumerator implements SplitEnumerator<NoSplit, NoSplit> {
    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {}

    @Override
    public void addSplitsBack(List<NoSplit> splits, int subtask) {}

    @Override
    public void addReader(int subtask) {}

    @Override
    public NoSplit snapshotState(long checkpointId) {
      return new NoSplit();
    }

    @Override
    public void close() {}
  }

  private static final class NothingSerializer implements SimpleVersionedSerializer<NoSplit> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(NoSplit nothing) {
      return new byte[0];
    }

    @Override
    public NoSplit deserialize(int version, byte[] bytes) {
      return new NoSplit();
    }
  }
}
