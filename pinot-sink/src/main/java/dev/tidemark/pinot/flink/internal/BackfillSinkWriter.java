package dev.tidemark.pinot.flink.internal;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;

/**
 * A {@link BackfillWriter} as Flink's sink calls it. Before the barrier of a commit, and at the end
 * of input, it closes everything and hands it over; at other checkpoints it keeps what it has.
 */
final class BackfillSinkWriter<T>
    implements StatefulSinkWriter<T, WriterState>, CommittingSinkWriter<T, WriterResult> {
  private final BackfillWriter<T> writer;
  private final CommitCadence cadence;
  private long lastCheckpointId;
  private boolean hasEnded;

  /**
   * @param lastCheckpointId the checkpoint that was restored; 0 at first
   */
  BackfillSinkWriter(BackfillWriter<T> writer, CommitCadence cadence, long lastCheckpointId) {
    this.writer = writer;
    this.cadence = cadence;
    this.lastCheckpointId = lastCheckpointId;
  }

  @Override
  public void write(T record, Context context) throws IOException, InterruptedException {
    writer.write(record);
  }

  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    hasEnded |= endOfInput;
    writer.closeOld();
  }

  @Override
  public Collection<WriterResult> prepareCommit() throws IOException, InterruptedException {
    return hasEnded || cadence.commitsAfter(lastCheckpointId)
        ? List.of(writer.closeAll(hasEnded))
        : List.of();
  }

  @Override
  public List<WriterState> snapshotState(long checkpointId) throws IOException {
    lastCheckpointId = checkpointId;
    try {
      return writer.snapshot(writer.run());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot take a snapshot of the writer: interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
