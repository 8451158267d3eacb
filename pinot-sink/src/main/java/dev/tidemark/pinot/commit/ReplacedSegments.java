package dev.tidemark.pinot.commit;

import java.io.Serializable;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which segments of others a commit replaces: they vanish for readers at the instant at which the
 * commit's own appear. Segments of the same run are never asked for. A run that makes one commit
 * (BATCH, or a stream without checkpoints) replaces all at once; one that makes several replaces
 * with its first. Immutable; a job graph carries it.
 */
@FunctionalInterface
public interface ReplacedSegments extends Serializable {
  /**
   * A segment that is visible now.
   *
   * @param name its name
   * @param startMillis its first time, inclusive, epoch milliseconds; null without a time column
   * @param endMillis its last time, inclusive; null without a time column
   */
  record Candidate(String name, @Nullable Long startMillis, @Nullable Long endMillis) {}

  /**
   * Whether it is replaced.
   *
   * @throws IllegalArgumentException if it can be neither replaced nor kept: it reaches out of the
   *     window that is replaced
   */
  boolean replaces(Candidate segment);

  /** Whether no segment is ever replaced, so that nobody needs to be asked about. */
  default boolean isNone() {
    return false;
  }

  /** None: the commit appends. */
  static ReplacedSegments none() {
    return new ReplacedSegments() {
      private static final long serialVersionUID = 1L;

      @Override
      public boolean replaces(Candidate segment) {
        return false;
      }

      @Override
      public boolean isNone() {
        return true;
      }
    };
  }

  /** All of the table. */
  static ReplacedSegments all() {
    return segment -> true;
  }

  /** Those whose name starts so. */
  static ReplacedSegments withNamePrefix(String prefix) {
    Objects.requireNonNull(prefix, "prefix is null");
    return segment -> segment.name().startsWith(prefix);
  }

  /**
   * Those whose rows lie in a window of time. One that reaches over its edge is refused, since its
   * rows outside the window would be lost.
   *
   * @param from inclusive
   * @param to exclusive
   */
  static ReplacedSegments within(Instant from, Instant to) {
    if (!from.isBefore(to)) {
      throw new IllegalArgumentException(
          "Invalid window: [" + from + ", " + to + ") (expected: from before to)");
    }
    long first = from.toEpochMilli();
    long end = to.toEpochMilli();
    return segment -> {
      Long start = segment.startMillis();
      Long last = segment.endMillis();
      if (start == null || last == null) {
        throw new IllegalArgumentException(
            "Cannot tell whether segment "
                + segment.name()
                + " lies within ["
                + from
                + ", "
                + to
                + "): it has no times (expected: a table with a time column)");
      }
      boolean apart = last < first || start >= end;
      if (!apart && (start < first || last >= end)) {
        throw new IllegalArgumentException(
            "Cannot replace segment "
                + segment.name()
                + ": its rows from "
                + Instant.ofEpochMilli(start)
                + " to "
                + Instant.ofEpochMilli(last)
                + " reach out of ["
                + from
                + ", "
                + to
                + "), and those outside would be lost (expected: a window on segment boundaries)");
      }
      return !apart;
    };
  }
}
