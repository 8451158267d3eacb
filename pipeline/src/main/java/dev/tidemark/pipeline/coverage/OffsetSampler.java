package dev.tidemark.pipeline.coverage;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples where the partitions of some topics begin and end, on a thread of its own. A sample that
 * fails is logged and left out: coverage ages and says so; data goes on. All public methods are
 * thread-safe.
 */
final class OffsetSampler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OffsetSampler.class);
  private static final long TIMEOUT_SECONDS = 15;

  private final Admin admin;
  private final List<String> topics;
  private final Clock clock;
  private final ScheduledExecutorService thread;
  private final ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();

  /**
   * One sample.
   *
   * @param takenAtMillis a time before the brokers were asked
   * @param partitions begin and end offsets of every partition of the topics, by name
   * @param promisedMillis what a heartbeat, read before the brokers were asked, vouches for
   */
  record Sample(
      long takenAtMillis, SortedMap<String, Bounds> partitions, @Nullable Long promisedMillis) {}

  /**
   * Offsets of a partition.
   *
   * @param begin the earliest offset that is kept
   * @param end the end, exclusive
   */
  record Bounds(long begin, long end) {}

  OffsetSampler(CoverageSettings settings, Clock clock) {
    this.admin = Admin.create(new HashMap<>(settings.admin()));
    this.topics = settings.topics();
    this.clock = clock;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread made = new Thread(task, "tidemark-offset-sampler");
              made.setDaemon(true);
              return made;
            });
  }

  /** Samples at an interval from now on. */
  void sampleEvery(Duration interval) {
    var unused =
        thread.scheduleWithFixedDelay(
            () -> take(null), 0, interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Samples once for a heartbeat that was just read.
   *
   * @param delay until everything sent before the heartbeat is sure to be readable
   */
  void sampleFor(long promisedMillis, Duration delay) {
    var unused =
        thread.schedule(() -> take(promisedMillis), delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The samples taken since the last call, oldest first. */
  List<Sample> drain() {
    List<Sample> drained = new ArrayList<>();
    for (Sample next = samples.poll(); next != null; next = samples.poll()) {
      drained.add(next);
    }
    return drained;
  }

  @Override
  public void close() {
    thread.shutdownNow();
    admin.close(Duration.ZERO);
  }

  private void take(@Nullable Long promisedMillis) {
    try {
      long takenAt = clock.millis();
      Collection<TopicPartition> partitions = partitions();
      Map<TopicPartition, ListOffsetsResultInfo> begins =
          offsets(partitions, OffsetSpec.earliest());
      Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(partitions, OffsetSpec.latest());
      SortedMap<String, Bounds> bounds = new TreeMap<>();
      ends.forEach(
          (partition, end) -> {
            ListOffsetsResultInfo begin = begins.get(partition);
            if (begin != null) {
              bounds.put(partition.toString(), new Bounds(begin.offset(), end.offset()));
            }
          });
      samples.add(new Sample(takenAt, bounds, promisedMillis));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.warn(
          "Cannot sample the end offsets of {}; coverage ages until it works again", topics, e);
    }
  }

  private Collection<TopicPartition> partitions()
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<String, TopicDescription> descriptions =
        admin.describeTopics(topics).allTopicNames().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    List<TopicPartition> partitions = new ArrayList<>();
    descriptions.forEach(
        (topic, description) ->
            description
                .partitions()
                .forEach(p -> partitions.add(new TopicPartition(topic, p.partition()))));
    return partitions;
  }

  private Map<TopicPartition, ListOffsetsResultInfo> offsets(
      Collection<TopicPartition> partitions, OffsetSpec spec)
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    partitions.forEach(partition -> wanted.put(partition, spec));
    return admin.listOffsets(wanted).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }
}
