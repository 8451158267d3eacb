package dev.tidemark.cli.serve;

import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only reader of one table: a thread of its own, so that a store that does not answer keeps no
 * other table waiting. One metadata read per poll; commits are read only when the table changed,
 * and only the new ones. After failures it asks less and less often. Whatever fails, an {@link
 * Error} too, is shown as a failure and polled again; and a poll that does not come back is one
 * once what it read last is older than three polls.
 */
final class TablePoller implements AutoCloseable {
  /**
   * How old a view may be at least; an interval that is short says nothing of how long a read
   * takes.
   */
  static final Duration LEAST_PATIENCE = Duration.ofSeconds(30);

  private static final int POLLS_OF_PATIENCE = 3;
  private static final Logger LOG = LoggerFactory.getLogger(TablePoller.class);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
  private static final int MAX_DOUBLINGS = 10;

  private final TableSource source;
  private final Duration interval;
  private final Clock clock;
  private final Consumer<Observation> listener;
  private final Thread thread;
  private final CountDownLatch stop = new CountDownLatch(1);
  private volatile Observation latest;
  private volatile @Nullable Instant startedAt;
  private int failuresInARow;

  /**
   * A poller that has not started.
   *
   * @param listener told of every poll, on the poller's thread
   */
  TablePoller(TableSource source, Duration interval, Clock clock, Consumer<Observation> listener) {
    this.source = source;
    this.interval = interval;
    this.clock = clock;
    this.listener = listener;
    this.latest = Observation.none(source.name());
    this.thread = new Thread(this::run, "poll-" + source.name());
    this.thread.setDaemon(true);
  }

  void start() {
    startedAt = clock.instant();
    thread.start();
  }

  /** What is known now; a view that is too old counts as a store that does not answer. */
  Observation latest() {
    Observation known = latest;
    TableView view = known.view();
    Instant last = view == null ? startedAt : view.readAt();
    Duration patience = patience();
    if (known.failure() != null || last == null || !last.plus(patience).isBefore(clock.instant())) {
      return known;
    }
    return known.silent(
        new Observation.Failure(
            "Table "
                + source.name()
                + ": its store does not answer; the read that began after "
                + last.truncatedTo(ChronoUnit.SECONDS)
                + " has not come back (expected: within "
                + patience.toSeconds()
                + " s)",
            Observation.Failure.Kind.UNREACHABLE,
            clock.instant().plus(interval)));
  }

  private Duration patience() {
    Duration polls = interval.multipliedBy(POLLS_OF_PATIENCE);
    return polls.compareTo(LEAST_PATIENCE) > 0 ? polls : LEAST_PATIENCE;
  }

  @Override
  public void close() {
    stop.countDown();
    thread.interrupt();
  }

  private void run() {
    try {
      boolean stopped = false;
      while (!stopped) {
        Observation observation = poll();
        latest = observation;
        tell(observation);
        stopped = stop.await(pause().toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      closeQuietly();
    }
  }

  private Observation poll() {
    try {
      TableView view = view(latest.view());
      failuresInARow = 0;
      return latest.read(view);
    } catch (RuntimeException | Error e) {
      failuresInARow++;
      if (e instanceof Error) {
        LOG.error("Failed to poll {}", source.name(), e);
      }
      closeQuietly();
      return latest.failed(Observation.Failure.of(e, clock.instant().plus(pause())));
    }
  }

  private TableView view(@Nullable TableView before) {
    FinalityTable table = source.table();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    TableFinality finality = table.finality();
    if (before != null && isSame(before.finality(), finality)) {
      return new TableView(table.name(), finality, before.revocation(), before.timeline(), now);
    }
    return new TableView(
        table.name(),
        finality,
        finality.revoked() ? table.revocation() : List.of(),
        timeline(table, finality, before, now),
        now);
  }

  private static Timeline timeline(
      FinalityTable table, TableFinality finality, @Nullable TableView before, Instant now) {
    try (Stream<RecentCommit> newestFirst = table.commits()) {
      return Timeline.read(newestFirst, Timeline.watermark(finality), before, now);
    }
  }

  private static boolean isSame(TableFinality before, TableFinality now) {
    return Objects.equals(before.snapshotId(), now.snapshotId())
        && before.revoked() == now.revoked()
        && Objects.equals(before.opinion(), now.opinion())
        && before.endsAtWatermark() == now.endsAtWatermark()
        && before.foreign().equals(now.foreign());
  }

  /** A listener that fails must not end the polling. */
  private void tell(Observation observation) {
    try {
      listener.accept(observation);
    } catch (RuntimeException | Error e) {
      LOG.error("Failed to tell of a poll of {}", source.name(), e);
    }
  }

  private void closeQuietly() {
    try {
      source.close();
    } catch (RuntimeException | Error e) {
      LOG.warn("Cannot close the catalog of {}", source.name(), e);
    }
  }

  private Duration pause() {
    if (failuresInARow == 0) {
      return interval;
    }
    Duration longer = interval.multipliedBy(1L << Math.min(failuresInARow, MAX_DOUBLINGS));
    Duration most = interval.compareTo(LONGEST_PAUSE) > 0 ? interval : LONGEST_PAUSE;
    return longer.compareTo(most) > 0 ? most : longer;
  }
}
