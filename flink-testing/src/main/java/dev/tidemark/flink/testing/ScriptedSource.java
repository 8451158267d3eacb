package dev.tidemark.flink.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
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
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A source that emits what a {@link Script} says. The position in each split is checkpointed, so
 * the source replays exactly from any checkpoint or savepoint, at any parallelism.
 *
 * @param <T> the type of a row
 */
public final class ScriptedSource<T>
    implements Source<T, ScriptedSource.Split, Set<ScriptedSource.Split>> {
  private static final long serialVersionUID = 1L;

  private final String scriptId;
  private final Boundedness boundedness;
  private final boolean ends;

  private ScriptedSource(String scriptId, Boundedness boundedness, boolean ends) {
    this.scriptId = scriptId;
    this.boundedness = boundedness;
    this.ends = ends;
  }

  /** A stream of the script's rows that waits for more when all were emitted. */
  public static <T> DataStream<T> unbounded(
      StreamExecutionEnvironment env, Script<T> script, TypeInformation<T> type) {
    return stream(env, script, type, Boundedness.CONTINUOUS_UNBOUNDED, false);
  }

  /** A stream of the script's rows that ends when all were released and emitted. */
  public static <T> DataStream<T> bounded(
      StreamExecutionEnvironment env, Script<T> script, TypeInformation<T> type) {
    return stream(env, script, type, Boundedness.BOUNDED, true);
  }

  /** The same, from a source that calls itself unbounded, as a Kafka source with a stop does. */
  public static <T> DataStream<T> endingUnannounced(
      StreamExecutionEnvironment env, Script<T> script, TypeInformation<T> type) {
    return stream(env, script, type, Boundedness.CONTINUOUS_UNBOUNDED, true);
  }

  private static <T> DataStream<T> stream(
      StreamExecutionEnvironment env,
      Script<T> script,
      TypeInformation<T> type,
      Boundedness boundedness,
      boolean ends) {
    return env.fromSource(
            new ScriptedSource<T>(script.id(), boundedness, ends),
            WatermarkStrategy.noWatermarks(),
            "scripted source",
            type)
        .uid("scripted-source");
  }

  /** A split and how many of its rows went out. */
  record Split(int number, int position) implements SourceSplit {
    @Override
    public String splitId() {
      return Integer.toString(number);
    }
  }

  @Override
  public Boundedness getBoundedness() {
    return boundedness;
  }

  @Override
  public SplitEnumerator<Split, Set<Split>> createEnumerator(
      SplitEnumeratorContext<Split> context) {
    Set<Split> all = new HashSet<>();
    for (int number = 0; number < Script.SPLITS; number++) {
      all.add(new Split(number, 0));
    }
    return new Enumerator(context, all);
  }

  @Override
  public SplitEnumerator<Split, Set<Split>> restoreEnumerator(
      SplitEnumeratorContext<Split> context, Set<Split> pending) {
    return new Enumerator(context, pending);
  }

  @Override
  public SourceReader<T, Split> createReader(SourceReaderContext context) {
    return new Reader<>(Script.find(scriptId), ends);
  }

  @Override
  public SimpleVersionedSerializer<Split> getSplitSerializer() {
    return new SplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<Set<Split>> getEnumeratorCheckpointSerializer() {
    return new SplitsSerializer();
  }

  private static final class Enumerator implements SplitEnumerator<Split, Set<Split>> {
    private final SplitEnumeratorContext<Split> context;
    private final Set<Split> pending;

    Enumerator(SplitEnumeratorContext<Split> context, Set<Split> pending) {
      this.context = context;
      this.pending = new HashSet<>(pending);
    }

    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, String host) {}

    @Override
    public void addSplitsBack(List<Split> splits, int subtask) {
      pending.addAll(splits);
      if (context.registeredReaders().containsKey(subtask)) {
        assign(subtask);
      }
    }

    @Override
    public void addReader(int subtask) {
      assign(subtask);
      context.signalNoMoreSplits(subtask);
    }

    @Override
    public Set<Split> snapshotState(long checkpointId) {
      return new HashSet<>(pending);
    }

    @Override
    public void close() {}

    private void assign(int subtask) {
      for (Iterator<Split> splits = pending.iterator(); splits.hasNext(); ) {
        Split split = splits.next();
        if (split.number() % context.currentParallelism() == subtask) {
          context.assignSplit(split, subtask);
          splits.remove();
        }
      }
    }
  }

  private static final class Reader<T> implements SourceReader<T, Split> {
    private final Script<T> script;
    private final boolean bounded;
    private final Map<Integer, Integer> positions = new HashMap<>();
    private boolean hasAllSplits;

    Reader(Script<T> script, boolean bounded) {
      this.script = script;
      this.bounded = bounded;
    }

    @Override
    public void start() {}

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) {
      for (Map.Entry<Integer, Integer> split : positions.entrySet()) {
        int position = split.getValue();
        if (script.isReleased(split.getKey(), position)) {
          output.collect(script.row(split.getKey(), position));
          split.setValue(position + 1);
          script.reached(split.getKey(), position + 1);
          return InputStatus.MORE_AVAILABLE;
        }
      }
      return isAtEnd() ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public List<Split> snapshotState(long checkpointId) {
      List<Split> splits = new ArrayList<>();
      positions.forEach((number, position) -> splits.add(new Split(number, position)));
      return splits;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
      // Taken before the look, so that a release in between is not missed.
      CompletableFuture<Void> nextRelease = script.nextRelease();
      boolean more =
          positions.entrySet().stream().anyMatch(s -> script.isReleased(s.getKey(), s.getValue()));
      return more || isAtEnd() ? CompletableFuture.completedFuture(null) : nextRelease;
    }

    @Override
    public void addSplits(List<Split> splits) {
      for (Split split : splits) {
        positions.put(split.number(), split.position());
        script.reached(split.number(), split.position());
      }
      script.wakeReaders();
    }

    @Override
    public void notifyNoMoreSplits() {
      hasAllSplits = true;
      script.wakeReaders();
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
      script.checkpointCompleted(checkpointId);
    }

    @Override
    public void close() {}

    private boolean isAtEnd() {
      return bounded
          && hasAllSplits
          && positions.entrySet().stream()
              .allMatch(split -> script.isAtEnd(split.getKey(), split.getValue()));
    }
  }

  private static final class SplitSerializer implements SimpleVersionedSerializer<Split> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Split split) {
      return ByteBuffer.allocate(8).putInt(split.number()).putInt(split.position()).array();
    }

    @Override
    public Split deserialize(int version, byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      return new Split(in.getInt(), in.getInt());
    }
  }

  private static final class SplitsSerializer implements SimpleVersionedSerializer<Set<Split>> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Set<Split> splits) throws IOException {
      ByteBuffer out = ByteBuffer.allocate(8 * splits.size());
      splits.forEach(split -> out.putInt(split.number()).putInt(split.position()));
      return out.array();
    }

    @Override
    public Set<Split> deserialize(int version, byte[] bytes) {
      Set<Split> splits = new HashSet<>();
      for (ByteBuffer in = ByteBuffer.wrap(bytes); in.hasRemaining(); ) {
        splits.add(new Split(in.getInt(), in.getInt()));
      }
      return splits;
    }
  }
}
