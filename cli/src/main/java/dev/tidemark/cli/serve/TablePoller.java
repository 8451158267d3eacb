package dev.tidemark.cli.serve;

import dev.tidemark.cli.store.FinalityTable;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
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
 * and only the new ones. After failures it asks less and less often.
 */
final class TablePoller implements AutoCloseable {
  /** How many commits a timeline shows. */
  static final int MAX_COMMITS = 500;

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
    thread.start();
  }

  /** What is known now. */
  Observation latest() {
    return latest;
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
      source.close();
    }
  }

  private Observation poll() {
    try {
      TableView view = view(latest.view());
      failuresInARow = 0;
      return latest.read(view);
    } catch (RuntimeException e) {
      failuresInARow++;
      boolean isMissing = e instanceof IllegalArgumentException;
      closeQuietly();
      return latest.failed(
          new Observation.Failure(
              e.getMessage() == null ? e.toString() : e.getMessage(),
              isMissing,
              clock.instant().plus(pause())));
    }
  }

  private TableView view(@Nullable TableView before) {
    FinalityTable table = source.table();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    TableFinality finality = table.finality();
    if (before != null && isSame(before.finality(), finality)) {
      return new TableView(table.name(), finality, before.revocation(), before.commits(), now);
    }
    return new TableView(
        table.name(),
        finality,
        finality.revoked() ? table.revocation() : List.of(),
        commits(table, before),
        now);
  }

  private static boolean isSame(TableFinality before, TableFinality now) {
    return Objects.equals(before.snapshotId(), now.snapshotId())
        && before.revoked() == now.revoked()
        && before.foreign().equals(now.foreign());
  }

  /** From the newest down to the newest of those that are known, which need no second reading. */
  private static List<CommitPoint> commits(FinalityTable table, @Nullable TableView before) {
    List<CommitPoint> known = before == null ? List.of() : before.commits();
    String newestKnown = known.isEmpty() ? null : known.get(0).commit().id();
    List<CommitPoint> points = new ArrayList<>();
    try (Stream<RecentCommit> commits = table.commits()) {
      Iterator<RecentCommit> newestFirst = commits.iterator();
      while (points.size() < MAX_COMMITS && newestFirst.hasNext()) {
        RecentCommit commit = newestFirst.next();
        if (commit.id().equals(newestKnown)) {
          points.addAll(known);
          break;
        }
        points.add(CommitPoint.of(commit));
      }
    }
    return points.size() > MAX_COMMITS ? points.subList(0, MAX_COMMITS) : points;
  }

  /** A listener that fails must not end the polling. */
  private void tell(Observation observation) {
    try {
      listener.accept(observation);
    } catch (RuntimeException e) {
      LOG.error("Failed to tell of a poll of {}", source.name(), e);
    }
  }

  private void closeQuietly() {
    try {
      source.close();
    } catch (RuntimeException e) {
      LOG.warn("Cannot close the catalog of {} after a failed poll", source.name(), e);
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
