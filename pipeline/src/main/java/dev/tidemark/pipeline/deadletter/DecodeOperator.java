package dev.tidemark.pipeline.deadletter;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.coverage.CoverageSettings;
import dev.tidemark.pipeline.coverage.PartitionReach;
import dev.tidemark.pipeline.coverage.SourceCoverage;
import dev.tidemark.pipeline.debezium.DebeziumFormat;
import dev.tidemark.pipeline.debezium.DebeziumJsonDecoder;
import dev.tidemark.pipeline.debezium.Decoded;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.UnorderableStreamException;
import dev.tidemark.pipeline.kafka.KafkaRecord;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Decodes Kafka records into {@link ChangeEvent}s:
 *
 * <pre>
 * KafkaRecord ──┬─ change ──────► main output, marked when it was sent again
 *               ├─ skipped ─────► counted
 *               ├─ malformed ───► {@link #DEAD_LETTERS}, counted; strict: the job fails
 *               └─ refused ─────► the job fails: nothing of this stream can be ordered
 * </pre>
 *
 * <p>Must be chained to the source with its parallelism, so that one subtask sees all of a
 * partition. The reach of each partition is kept in union state and survives rescaling; a record
 * that Flink itself reads again after a failure is not re-sent, since the reach goes back with it.
 *
 * <p>One GTID domain per source server: a second one fails the job. Each subtask checks what it
 * reads and what was restored, so domains that two subtasks read apart meet at the next restore.
 *
 * <p>With coverage, a report of where this subtask stands goes to {@link #SOURCE_REPORTS} before
 * every checkpoint barrier: its positions are exactly those of the changes emitted before it.
 *
 * <p>Counters of the operator: {@code decoded} (re-sent ones included), {@code resent}, {@code
 * skipped}, {@code malformed}.
 */
public final class DecodeOperator extends AbstractStreamOperator<ChangeEvent>
    implements OneInputStreamOperator<KafkaRecord, ChangeEvent> {
  /** Where the records go that cannot be decoded. */
  public static final OutputTag<DeadLetter> DEAD_LETTERS =
      new OutputTag<>("tidemark-dead-letters", DeadLetterCodec.TYPE);

  /** Where the reports of coverage go: bytes of a SourceReport of finalization-core. */
  public static final OutputTag<byte[]> SOURCE_REPORTS =
      new OutputTag<>(
          "tidemark-source-reports", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

  private static final long serialVersionUID = 1L;
  private static final String POSITIONS = "tidemark-source-positions";
  private static final String STATE = "tidemark-source-reach";

  private final DebeziumFormat format;
  private final boolean strict;
  private final @Nullable CoverageSettings coverageSettings;

  private transient @Nullable Parts parts;
  private transient @Nullable SourceCoverage coverage;
  private transient @Nullable ListState<PartitionReach> positions;

  /** An operator without coverage. */
  public DecodeOperator(DebeziumFormat format, boolean strict) {
    this(format, strict, null);
  }

  /**
   * @param strict whether a malformed record fails the job instead of becoming a dead letter
   * @param coverage how coverage is reported; null for not at all
   */
  public DecodeOperator(
      DebeziumFormat format, boolean strict, @Nullable CoverageSettings coverage) {
    this.format = requireNonNull(format, "format is null");
    this.strict = strict;
    this.coverageSettings = coverage;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    ListState<SourceReach> state =
        context
            .getOperatorStateStore()
            .getUnionListState(new ListStateDescriptor<>(STATE, SourceReach.Codec.TYPE));
    SourceProgress progress = new SourceProgress();
    for (SourceReach reach : state.get()) {
      progress.restore(reach);
    }
    parts =
        new Parts(
            new DebeziumJsonDecoder(format), progress, state, DecodeCounters.in(getMetricGroup()));
    if (coverageSettings != null) {
      startCoverage(context, coverageSettings);
    }
  }

  private void startCoverage(StateInitializationContext context, CoverageSettings settings)
      throws Exception {
    ListState<PartitionReach> state =
        context
            .getOperatorStateStore()
            .getUnionListState(new ListStateDescriptor<>(POSITIONS, PartitionReach.Codec.TYPE));
    boolean first = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
    SourceCoverage started = SourceCoverage.start(settings, first);
    coverage = started;
    positions = state;
    for (PartitionReach reach : state.get()) {
      started.restore(reach);
    }
  }

  @Override
  public void processElement(StreamRecord<KafkaRecord> element) throws Exception {
    Parts parts = parts();
    KafkaRecord record = element.getValue();
    if (coverage != null) {
      coverage.read(
          record.position().topic(), record.position().partition(), record.position().offset());
    }
    Decoded decoded = parts.decoder.decode(record);
    if (decoded instanceof Decoded.Change change) {
      emit(parts, element, change.event());
    } else if (decoded instanceof Decoded.Skipped) {
      parts.counters.skipped().inc();
    } else if (decoded instanceof Decoded.Malformed malformed) {
      bury(parts, element, malformed.reason());
    } else if (decoded instanceof Decoded.Refused refused) {
      throw new UnorderableStreamException(refused.reason());
    }
  }

  private void emit(Parts parts, StreamRecord<KafkaRecord> element, ChangeEvent event)
      throws UnorderableStreamException {
    ChangeEvent placed = parts.progress.advance(event);
    parts.counters.decoded().inc();
    if (placed.resent()) {
      parts.counters.resent().inc();
    }
    if (coverage != null) {
      coverage.delivered(placed);
    }
    output.collect(element.replace(placed));
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    super.prepareSnapshotPreBarrier(checkpointId);
    report();
  }

  @Override
  public void finish() throws Exception {
    report();
    super.finish();
  }

  @Override
  public void close() throws Exception {
    if (coverage != null) {
      coverage.close();
    }
    super.close();
  }

  private void report() {
    if (coverage != null) {
      output.collect(SOURCE_REPORTS, new StreamRecord<>(coverage.report()));
    }
  }

  private void bury(Parts parts, StreamRecord<KafkaRecord> element, String reason)
      throws FlinkException {
    parts.counters.malformed().inc();
    if (strict) {
      throw new FlinkException(
          reason + " (strict: true; with strict: false it becomes a dead letter)");
    }
    output.collect(DEAD_LETTERS, element.replace(DeadLetter.of(element.getValue(), reason)));
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    int parallelism = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
    if (coverage != null && positions != null) {
      positions.update(coverage.share(subtask, parallelism));
    }
    parts().state.update(parts().progress.share(subtask, parallelism));
  }

  /** What the operator has counted since it started. */
  DecodeCounters counters() {
    return parts().counters;
  }

  private Parts parts() {
    return requireNonNull(parts, "parts is null: the operator was not initialized");
  }

  /** What exists while the operator runs. */
  private record Parts(
      DebeziumJsonDecoder decoder,
      SourceProgress progress,
      ListState<SourceReach> state,
      DecodeCounters counters) {}
}
