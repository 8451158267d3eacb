package dev.tidemark.pipeline.kafka;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.BinlogPosition;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.json.JsonReader;
import dev.tidemark.pipeline.json.MalformedJsonException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where to start reading a topic of Debezium changes so that nothing after a position of the source
 * is missed: for each partition the first offset whose change has a greater GTID sequence. Changes
 * up to the position that lie behind that offset are overlap, which a merge absorbs.
 *
 * <p>Exact, whatever the clocks: the time of the position only says where to begin looking, and the
 * search goes back until it has seen a change at or below the position, or the partition's first.
 * Each step back is twice as long as the one before, up to a bound: of a position that is far
 * behind its time the search reads no more than whoever starts there reads again.
 *
 * <p>A topic that is whole from its offset 0 holds every change since its connector began, not
 * more: if that was after the position, the changes between are nowhere. One change at or before
 * the position, in any partition, shows that it was before. Without one a warning is logged; it is
 * no error, since the tables may have been quiet.
 *
 * @param consumer assigned and moved here; used by the calling thread alone. With {@code
 *     auto.offset.reset=none}, so that records that retention drops during the search are missed
 * @param margin how far before the position's time to begin looking
 * @param patience how long to wait for records
 */
public record StartOffsets(Consumer<byte[], byte[]> consumer, Duration margin, Duration patience) {
  private static final Logger LOG = LoggerFactory.getLogger(StartOffsets.class);
  private static final long STEP_BACK = 1_000;
  private static final long MAX_STEP_BACK = 1_024_000;

  public StartOffsets {
    requireNonNull(consumer, "consumer is null");
    requireNonNull(margin, "margin is null");
    requireNonNull(patience, "patience is null");
  }

  /**
   * The offset to start at, for each partition; the end offset where nothing came after the
   * position yet.
   *
   * @throws PositionLostException if retention may have dropped changes after the position
   * @throws IllegalStateException if a topic is of another GTID domain, or cannot be read
   */
  public Map<TopicPartition, Long> after(
      Collection<TopicPartition> partitions, BinlogPosition position) {
    Instant lookFrom = position.time().minus(margin);
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(partition -> times.put(partition, lookFrom.toEpochMilli()));
    Map<TopicPartition, OffsetAndTimestamp> near = consumer.offsetsForTimes(times);
    Map<TopicPartition, Long> starts = new HashMap<>();
    boolean sawEarlier = false;
    for (TopicPartition partition : partitions) {
      long begin = requireNonNull(begins.get(partition));
      long end = requireNonNull(ends.get(partition));
      OffsetAndTimestamp guess = near.get(partition);
      long from = guess == null ? Math.max(begin, end - STEP_BACK) : guess.offset();
      Found found = start(new Span(partition, begin, end), from, position.gtid());
      starts.put(partition, found.offset());
      sawEarlier |= found.sawEarlier();
    }
    if (!sawEarlier) {
      warnThatNothingIsProven(partitions, position);
    }
    return starts;
  }

  private static void warnThatNothingIsProven(
      Collection<TopicPartition> partitions, BinlogPosition position) {
    LOG.warn(
        "Nothing in {} shows that their connector was started before {}: they hold no change at or before it (expected: one)."
            + " If it was started later, changes between are missing, and nothing else will say so."
            + " Right only where the connector ran before the dump and no row was changed in that time;"
            + " else start the connector, change a row, and take a new dump.",
        new TreeSet<>(partitions.stream().map(TopicPartition::topic).toList()),
        position);
  }

  /** What a partition holds. */
  private record Span(TopicPartition partition, long begin, long end) {}

  private Found start(Span span, long guess, Gtid position) {
    long from = Math.max(span.begin(), guess);
    long step = STEP_BACK;
    while (true) {
      Found found = search(span, from, position);
      if (found.sawEarlier() || (from == span.begin() && span.begin() == 0)) {
        return found;
      }
      if (from == span.begin()) {
        throw new PositionLostException(span.partition(), position, span.begin());
      }
      from = Math.max(span.begin(), from - step);
      step = Math.min(2 * step, MAX_STEP_BACK);
    }
  }

  /**
   * What a search found.
   *
   * @param offset of the first change after the position; the end if there is none
   * @param sawEarlier whether a change at or before the position lies in front of it
   */
  private record Found(long offset, boolean sawEarlier) {}

  private Found search(Span span, long from, Gtid position) {
    consumer.assign(List.of(span.partition()));
    consumer.seek(span.partition(), from);
    boolean sawEarlier = false;
    while (consumer.position(span.partition()) < span.end()) {
      List<ConsumerRecord<byte[], byte[]>> records =
          consumer.poll(patience).records(span.partition());
      if (records.isEmpty() && consumer.position(span.partition()) < span.end()) {
        throw new IllegalStateException(
            "Cannot read %s: nothing came within %s at offset %d (expected: records up to %d)"
                .formatted(
                    span.partition(), patience, consumer.position(span.partition()), span.end()));
      }
      for (ConsumerRecord<byte[], byte[]> record : records) {
        Gtid gtid = gtid(record, position);
        if (gtid != null && Long.compareUnsigned(gtid.sequence(), position.sequence()) > 0) {
          return new Found(record.offset(), sawEarlier);
        }
        sawEarlier |= gtid != null;
      }
    }
    return new Found(span.end(), sawEarlier);
  }

  /** The GTID of a change; null for tombstones, rows of a snapshot and whatever has none. */
  private static @Nullable Gtid gtid(ConsumerRecord<byte[], byte[]> record, Gtid position) {
    if (record.value() == null) {
      return null;
    }
    Object text = member(member(payload(record), "source"), "gtid");
    Gtid gtid = text instanceof String string ? Gtid.parse(string).orElse(null) : null;
    if (gtid != null && gtid.domain() != position.domain()) {
      throw new IllegalStateException(
          "Cannot start after %s: %s-%d at offset %d holds %s of another GTID domain"
              .formatted(position, record.topic(), record.partition(), record.offset(), gtid));
    }
    return gtid;
  }

  private static @Nullable Object payload(ConsumerRecord<byte[], byte[]> record) {
    try {
      Object value = JsonReader.read(record.value());
      Object wrapped = member(value, "payload");
      return wrapped == null ? value : wrapped;
    } catch (MalformedJsonException e) {
      return null;
    }
  }

  private static @Nullable Object member(@Nullable Object object, String name) {
    return object instanceof Map<?, ?> map ? map.get(name) : null;
  }
}
