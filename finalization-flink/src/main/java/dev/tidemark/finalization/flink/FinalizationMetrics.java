package dev.tidemark.finalization.flink;

import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.watermark.Outcome;
import java.time.Clock;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * What finalization reports as metrics of the committer: {@value #WATERMARK} and {@value #LAG}, the
 * watermark of the table in epoch milliseconds and how far it is behind the clock, from the first
 * commit that knows one (before it there is no number that would be true); {@value #LATE_ROWS},
 * rows that came after their granule was final. The same names in both sinks.
 */
public final class FinalizationMetrics {
  static final String WATERMARK = "finalizationWatermarkMs";
  static final String LAG = "finalizationWatermarkLagMs";
  static final String LATE_ROWS = "finalizationLateRows";

  private final MetricGroup group;
  private final Clock clock;
  private @Nullable Counter lateRows;
  private volatile long watermarkMillis;
  private boolean hasWatermark;

  /**
   * Registers nothing yet.
   *
   * @param clock tells the lag
   */
  public FinalizationMetrics(MetricGroup group, Clock clock) {
    this.group = group;
    this.clock = clock;
  }

  /**
   * A commit is in the table.
   *
   * @param outcome what finalization decided; null without finalization, which reports nothing
   */
  public void committed(@Nullable Outcome outcome) {
    if (outcome == null) {
      return;
    }
    Counter late = lateRows;
    if (late == null) {
      late = group.counter(LATE_ROWS);
      lateRows = late;
    }
    for (LateDataReport report : outcome.late()) {
      late.inc(report.rows().total());
    }
    Long watermark = outcome.opinion().watermarkMillis();
    if (watermark != null) {
      watermarkMillis = watermark;
      register();
    }
  }

  private void register() {
    if (!hasWatermark) {
      hasWatermark = true;
      group.gauge(WATERMARK, (Gauge<Long>) () -> watermarkMillis);
      group.gauge(LAG, (Gauge<Long>) () -> clock.millis() - watermarkMillis);
    }
  }
}
