package dev.tidemark.finalization.eventtime;

import dev.tidemark.finalization.accumulator.Accumulator;
import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.accumulator.SnapshotCodec;
import dev.tidemark.finalization.granule.Granularity;
import java.io.Serializable;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Makes the {@link EventTimeAccumulator} of each writer. Its properties are the facts of {@code
 * finalization.event-time.*}.
 *
 * @param <T> the record
 */
public final class EventTimeAccumulatorFactory<T> implements AccumulatorFactory<T, EventTimeFacts> {
  private static final long serialVersionUID = 1L;

  /** The name under which event-time facts travel. */
  public static final String NAME = "event-time";

  /** A clock that a job graph can carry. */
  @FunctionalInterface
  public interface ClockSupplier extends Supplier<Clock>, Serializable {}

  private final EventTimeExtractor<T> extractor;
  private final String granularity;
  private final EventTimeBounds bounds;
  private final ClockSupplier clock;

  /** Facts with the system clock. */
  public EventTimeAccumulatorFactory(
      EventTimeExtractor<T> extractor, Granularity granularity, EventTimeBounds bounds) {
    this(extractor, granularity, bounds, Clock::systemUTC);
  }

  /**
   * @param extractor reads each record's event time and role
   * @param granularity the granules in which rows are counted
   * @param bounds what is credible
   * @param clock gives each writer its clock
   */
  public EventTimeAccumulatorFactory(
      EventTimeExtractor<T> extractor,
      Granularity granularity,
      EventTimeBounds bounds,
      ClockSupplier clock) {
    this.extractor = Objects.requireNonNull(extractor, "extractor is null");
    this.granularity = granularity.toString();
    this.bounds = Objects.requireNonNull(bounds, "bounds is null");
    this.clock = Objects.requireNonNull(clock, "clock is null");
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Accumulator<T, EventTimeFacts> create() {
    return new EventTimeAccumulator<>(
        extractor, Granularity.parse(granularity), bounds, clock.get());
  }

  @Override
  public SnapshotCodec<EventTimeFacts> codec() {
    return new EventTimeFacts.Codec();
  }

  @Override
  public EventTimeFacts merge(List<EventTimeFacts> parts) {
    return EventTimeFacts.merge(parts);
  }

  @Override
  public Map<String, String> properties(EventTimeFacts merged) {
    return EventTimeProperties.write(merged);
  }
}
