package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.eventtime.EventTimeSketch;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a commit's facts become a candidate for the watermark: the candidate is the minimum, over the
 * window of recent commits, of the policy's statistic of each. Never a quantile pooled over the
 * window, which is too optimistic. Written and read as text, such as {@code quantile:0.01}.
 */
public sealed interface FinalizationPolicy {
  /** The default: completeness first. */
  FinalizationPolicy MIN = new Min();

  /** Only what the source has vouched for. */
  FinalizationPolicy SOURCE_PROMISE = new SourcePromise();

  /** The statistic of one commit that holds stream records, in epoch milliseconds. */
  long statistic(EventTimeSketch times);

  /** What a watermark of this policy rests on. */
  default Evidence evidence() {
    return Evidence.ESTIMATE;
  }

  /** The text that {@link #parse} reads. */
  @Override
  String toString();

  /** That quantile of each commit: freshness, with a rare late record accepted. */
  static FinalizationPolicy quantile(double quantile) {
    return new Quantile(quantile);
  }

  /** The latest event of each commit less a known bound on lateness. */
  static FinalizationPolicy boundedLateness(Duration lateness) {
    return new BoundedLateness(lateness);
  }

  /**
   * Reads {@code min}, {@code quantile:0.01}, {@code bounded-lateness:PT10M} or {@code
   * source-promise}.
   *
   * @throws IllegalArgumentException for anything else
   */
  static FinalizationPolicy parse(String text) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    String argument = colon < 0 ? "" : text.substring(colon + 1).trim();
    try {
      switch (name.trim()) {
        case "min":
          return MIN;
        case "source-promise":
          return SOURCE_PROMISE;
        case "quantile":
          return quantile(Double.parseDouble(argument));
        case "bounded-lateness":
          return boundedLateness(Duration.parse(argument));
        default:
          throw invalid(text, null);
      }
    } catch (NumberFormatException | DateTimeException e) {
      throw invalid(text, e);
    }
  }

  private static IllegalArgumentException invalid(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "Invalid finalization policy: "
            + text
            + " (expected: min, quantile:0.01, bounded-lateness:PT10M or source-promise)",
        cause);
  }

  /** The earliest event of each commit. */
  record Min() implements FinalizationPolicy {
    @Override
    public long statistic(EventTimeSketch times) {
      return times.minMillis();
    }

    @Override
    public String toString() {
      return "min";
    }
  }

  /**
   * A low quantile of each commit.
   *
   * @param quantile from 0 (inclusive) to 0.5 (inclusive): 0.01 means that 99 % of a commit's
   *     events are later. The 99th percentile is not a lower bound of anything and is refused
   */
  record Quantile(double quantile) implements FinalizationPolicy {
    public Quantile {
      if (!(quantile >= 0 && quantile <= 0.5)) {
        throw new IllegalArgumentException(
            "Invalid quantile: "
                + quantile
                + " (expected: from 0 to 0.5; 0.01 means that 99 % of a commit's events are later)");
      }
    }

    @Override
    public long statistic(EventTimeSketch times) {
      return times.quantileMillis(quantile);
    }

    @Override
    public String toString() {
      return "quantile:" + quantile;
    }
  }

  /**
   * For sources with a known bound.
   *
   * @param lateness how far behind the latest event another may be; zero or positive
   */
  record BoundedLateness(Duration lateness) implements FinalizationPolicy {
    public BoundedLateness {
      Objects.requireNonNull(lateness, "lateness is null");
      if (lateness.isNegative()) {
        throw new IllegalArgumentException(
            "Invalid lateness: " + lateness + " (expected: zero or positive)");
      }
    }

    @Override
    public long statistic(EventTimeSketch times) {
      return times.maxMillis() - lateness.toMillis();
    }

    @Override
    public String toString() {
      return "bounded-lateness:" + lateness;
    }
  }

  /** The least of what the expected source partitions have vouched for; needs coverage. */
  record SourcePromise() implements FinalizationPolicy {
    @Override
    public long statistic(EventTimeSketch times) {
      return times.minMillis();
    }

    @Override
    public Evidence evidence() {
      return Evidence.PROMISE;
    }

    @Override
    public String toString() {
      return "source-promise";
    }
  }
}
