package dev.tidemark.pipeline.coverage;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.kafka.ChangeTopics;
import dev.tidemark.pipeline.ledger.ChangeEventTime;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a source reports its coverage. Immutable.
 *
 * @param admin properties of Kafka's admin client: {@code bootstrap.servers}, security
 * @param topics the topics whose partitions are expected to deliver
 * @param eventTime where the event time of a change comes from
 * @param sampleInterval how often end offsets are sampled
 * @param heartbeat what vouches for the source; null without heartbeats
 */
public record CoverageSettings(
    Map<String, String> admin,
    List<String> topics,
    ChangeEventTime eventTime,
    Duration sampleInterval,
    @Nullable Heartbeat heartbeat)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  /**
   * A heartbeat row: a row of a table of its own that the connector changes at intervals. What was
   * committed before it was sent to Kafka before it, and lies there below the end offsets sampled a
   * delivery time after it was read. It says something about event times only where the event time
   * is the source's time of the change, or never later than it.
   *
   * @param table the heartbeat table; its topic must be read by the job too
   * @param longestTransaction how long a transaction may stay open: its changes bear the time of
   *     their statements and come with its end
   * @param longestDelivery how long a record may be under way to one partition while a later one is
   *     readable in another: the producer's {@code delivery.timeout.ms} is an upper bound
   */
  public record Heartbeat(TableId table, Duration longestTransaction, Duration longestDelivery)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    public Heartbeat {
      requireNonNull(table, "table is null");
      if (longestTransaction.isNegative() || longestDelivery.isNegative()) {
        throw new IllegalArgumentException(
            "Invalid heartbeat: longest transaction %s, longest delivery %s (expected: zero or positive)"
                .formatted(longestTransaction, longestDelivery));
      }
    }
  }

  public CoverageSettings {
    admin = Map.copyOf(admin);
    topics = List.copyOf(topics);
    requireNonNull(eventTime, "eventTime is null");
    if (topics.isEmpty()) {
      throw new IllegalArgumentException("Missing topics (expected: at least one)");
    }
    if (sampleInterval.isNegative() || sampleInterval.isZero()) {
      throw new IllegalArgumentException(
          "Invalid sample interval: " + sampleInterval + " (expected: more than zero)");
    }
  }

  /** Coverage of these topics, sampled every second, without heartbeats. */
  public static CoverageSettings of(
      String bootstrapServers, List<String> topics, ChangeEventTime eventTime) {
    return new CoverageSettings(
        Map.of("bootstrap.servers", bootstrapServers),
        topics,
        eventTime,
        Duration.ofSeconds(1),
        null);
  }

  /** Coverage of the topics of a ledger, one without a heartbeat topic, sampled every second. */
  public static CoverageSettings of(ChangeTopics topics, ChangeEventTime eventTime) {
    return new CoverageSettings(
        topics.client(), topics.topics(), eventTime, Duration.ofSeconds(1), null);
  }

  /** The same with heartbeats. */
  public CoverageSettings with(Heartbeat newHeartbeat) {
    return new CoverageSettings(admin, topics, eventTime, sampleInterval, newHeartbeat);
  }
}
