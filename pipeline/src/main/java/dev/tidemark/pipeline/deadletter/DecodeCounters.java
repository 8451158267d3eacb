package dev.tidemark.pipeline.deadletter;

import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** The counters of a {@link DecodeOperator}, in its operator's metric group. */
record DecodeCounters(Counter decoded, Counter resent, Counter skipped, Counter malformed) {
  static DecodeCounters in(MetricGroup group) {
    return new DecodeCounters(
        group.counter("decoded"),
        group.counter("resent"),
        group.counter("skipped"),
        group.counter("malformed"));
  }

  /** The counts by the names of the metrics. */
  Map<String, Long> counts() {
    return Map.of(
        "decoded", decoded.getCount(),
        "resent", resent.getCount(),
        "skipped", skipped.getCount(),
        "malformed", malformed.getCount());
  }
}
