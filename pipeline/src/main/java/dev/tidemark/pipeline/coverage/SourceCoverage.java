package dev.tidemark.pipeline.coverage;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import dev.tidemark.finalization.coverage.SourceReport;
import dev.tidemark.finalization.coverage.Vouch;
import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.ledger.UnmappableEventException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one subtask of a source knows of its coverage: positions of every record it took, skipped
 * and malformed ones too, since they were read all the same; samples of end offsets; and what
 * heartbeats vouch for. Used by the task thread; the sampler has its own.
 *
 * <p>The first subtask samples at an interval, for all partitions of the topics; whichever subtask
 * reads a heartbeat samples once more after it, so that cause and effect need no common clock.
 */
public final class SourceCoverage implements AutoCloseable {
  private final CoverageSettings settings;
  private final OffsetSampler sampler;
  private final Set<String> topics;
  private final Map<String, Long> nextOffsets = new HashMap<>();
  private final Map<String, Long> maxEventTimes = new HashMap<>();
  private final Set<String> read = new HashSet<>();

  private SourceCoverage(CoverageSettings settings, OffsetSampler sampler) {
    this.settings = settings;
    this.sampler = sampler;
    this.topics = new HashSet<>(settings.topics());
  }

  /** Starts to watch; {@code first} for the subtask that samples at an interval. */
  public static SourceCoverage start(CoverageSettings settings, boolean first) {
    OffsetSampler sampler = new OffsetSampler(settings, Clock.systemUTC());
    if (first) {
      sampler.sampleEvery(settings.sampleInterval());
    }
    return new SourceCoverage(settings, sampler);
  }

  /** Takes over a position of a checkpoint. */
  public void restore(PartitionReach reach) {
    nextOffsets.merge(reach.partition(), reach.nextOffset(), Math::max);
  }

  /** A record was taken, whatever becomes of it. */
  public void read(String topic, int partition, long offset) {
    if (topics.contains(topic)) {
      String name = topic + "-" + partition;
      nextOffsets.merge(name, offset + 1, Math::max);
      read.add(name);
    }
  }

  /** A change was delivered. */
  public void delivered(ChangeEvent event) {
    CoverageSettings.Heartbeat heartbeat = settings.heartbeat();
    if (heartbeat != null && heartbeat.table().equals(event.table())) {
      long beat = TimeUnit.MICROSECONDS.toMillis(event.sourceTimeMicros());
      sampler.sampleFor(
          beat - heartbeat.longestTransaction().toMillis(), heartbeat.longestDelivery());
    }
    String topic = event.kafka().topic();
    Long millis = topics.contains(topic) ? eventTimeMillis(event) : null;
    if (millis != null) {
      maxEventTimes.merge(topic + "-" + event.kafka().partition(), millis, Math::max);
    }
  }

  /** What is known now, for the barrier that comes next. */
  public byte[] report() {
    SortedMap<String, PartitionProgress> partitions = new TreeMap<>();
    nextOffsets.forEach(
        (name, next) -> partitions.put(name, PartitionProgress.at(next, maxEventTimes.get(name))));
    List<Vouch> vouches = new ArrayList<>();
    for (OffsetSampler.Sample sample : sampler.drain()) {
      SortedMap<String, Long> ends = new TreeMap<>();
      sample
          .partitions()
          .forEach(
              (name, bounds) -> {
                ends.put(name, bounds.end());
                // Nothing below the beginning exists any more, so it counts as read.
                PartitionProgress end =
                    PartitionProgress.end(bounds.end(), sample.takenAtMillis())
                        .merge(PartitionProgress.at(bounds.begin(), null));
                partitions.merge(name, end, PartitionProgress::merge);
              });
      Long promised = sample.promisedMillis();
      if (promised != null) {
        vouches.add(new Vouch(promised, ends));
      }
    }
    return new SourceReport(Coverage.of(partitions), vouches).toBytes();
  }

  /**
   * The positions that this subtask answers for in a checkpoint: those it has read, and its share
   * of those it only restored.
   */
  public List<PartitionReach> share(int subtask, int parallelism) {
    List<PartitionReach> share = new ArrayList<>();
    nextOffsets.forEach(
        (name, next) -> {
          if (read.contains(name) || Math.floorMod(name.hashCode(), parallelism) == subtask) {
            share.add(new PartitionReach(name, next));
          }
        });
    return share;
  }

  @Override
  public void close() {
    sampler.close();
  }

  /** A value that is no event time is the mapper's to report; here it moves nothing. */
  private @Nullable Long eventTimeMillis(ChangeEvent event) {
    try {
      Long micros = settings.eventTime().eventTimeMicros(event);
      return micros == null ? null : Math.floorDiv(micros, 1_000L);
    } catch (UnmappableEventException e) {
      return null;
    }
  }
}
