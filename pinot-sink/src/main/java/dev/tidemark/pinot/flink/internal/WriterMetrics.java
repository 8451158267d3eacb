package dev.tidemark.pinot.flink.internal;

import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.groups.OperatorMetricGroup;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;

/**
 * What a writer reports: Flink's standard metrics of a sink, and below {@code pinot} its own. Rows
 * and bytes count once their segment is staged.
 */
final class WriterMetrics {
  private static final String GROUP = "pinot";

  private final OperatorMetricGroup group;
  private final Counter rowsSent;
  private final Counter bytesSent;
  private final Counter sendErrors;
  private final Counter segments;
  private final Counter smallSegments;
  private final Counter deadLetters;
  private final Counter filtered;
  private volatile long lastBuildMillis;

  private WriterMetrics(OperatorMetricGroup group, Counter[] sent) {
    this.group = group;
    this.rowsSent = sent[0];
    this.bytesSent = sent[1];
    this.sendErrors = sent[2];
    this.segments = group.addGroup(GROUP).counter("segments");
    this.smallSegments = group.addGroup(GROUP).counter("smallSegments");
    this.deadLetters = group.addGroup(GROUP).counter("deadLetters");
    this.filtered = group.addGroup(GROUP).counter("filteredRecords");
    group.addGroup(GROUP).gauge("lastBuildMillis", (Gauge<Long>) () -> lastBuildMillis);
  }

  /** Flink has the same counters once more as the operator's records and bytes out. */
  static WriterMetrics of(SinkWriterMetricGroup group) {
    WriterMetrics metrics =
        new WriterMetrics(
            group,
            new Counter[] {
              group.getNumRecordsSendCounter(),
              group.getNumBytesSendCounter(),
              group.getNumRecordsSendErrorsCounter()
            });
    group.setCurrentSendTimeGauge(() -> metrics.lastBuildMillis);
    return metrics;
  }

  /** The same names where Flink has no group for sinks: under a sink function. */
  static WriterMetrics of(OperatorMetricGroup group) {
    WriterMetrics metrics =
        new WriterMetrics(
            group,
            new Counter[] {
              group.counter("numRecordsSend", group.getIOMetricGroup().getNumRecordsOutCounter()),
              group.counter("numBytesSend", group.getIOMetricGroup().getNumBytesOutCounter()),
              group.counter("numRecordsSendErrors")
            });
    group.gauge("currentSendTime", (Gauge<Long>) () -> metrics.lastBuildMillis);
    return metrics;
  }

  /** What a writer holds right now. */
  void holds(LongSupplier openBuffers, LongSupplier buildsInFlight, LongSupplier segmentsWaiting) {
    group.addGroup(GROUP).gauge("openBuffers", (Gauge<Long>) openBuffers::getAsLong);
    group.addGroup(GROUP).gauge("buildsInFlight", (Gauge<Long>) buildsInFlight::getAsLong);
    group.addGroup(GROUP).gauge("segmentsWaiting", (Gauge<Long>) segmentsWaiting::getAsLong);
  }

  /** Called on the task's thread once a segment is known to be staged. */
  void staged(StagedBuild build, boolean small) {
    rowsSent.inc(build.segment().rows());
    bytesSent.inc(build.segment().files().tarBytes());
    segments.inc();
    if (small) {
      smallSegments.inc();
    }
    lastBuildMillis = build.millis();
  }

  void deadLetter() {
    deadLetters.inc();
    sendErrors.inc();
  }

  void filtered() {
    filtered.inc();
  }
}
