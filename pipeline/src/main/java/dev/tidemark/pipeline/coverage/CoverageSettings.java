package dev.tidemark.pipeline.coverage;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.TableId;
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
   * A heartbeat row: a row of a table of its own that the connector changes at intervals. Once it
   * was read, everything that was committed before it lies in Kafka below the end offsets sampled
   * after. It says something about event times only where the event time is the source's time of
   * the change, or never later than it.
   *
   * @param table the heartbeat table; its topic must be read by the job too
   * @param longestTransaction how long a transaction may stay open: its changes bear the time of
   *     their statements and come with its end
   */
  public record Heartbeat(TableId table, Duration longestTransaction) implements Serializable {
    private static final long serialVersionUID = 1L;

    public Heartbeat {
      requireNonNull(table, "table is null");
      if (longestTransaction.isNegative()) {
        throw new IllegalArgumentException(
            "Invalid longest transaction: " + longestTransaction + " (expected: zero or positive)");
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

  /** The same with heartbeats. */
  public CoverageSettings with(Heartbeat newHeartbeat) {
    return new CoverageSettings(admin, topics, eventTime, sampleInterval, newHeartbeat);
  }
}
