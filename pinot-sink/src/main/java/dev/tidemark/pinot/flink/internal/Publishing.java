package dev.tidemark.pinot.flink.internal;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.flink.FinalizationMetrics;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.commit.PublishResult;
import dev.tidemark.pinot.commit.SegmentPublisher;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A publisher as both sinks use it: a refused table or setting, and a hook that refuses too often,
 * fail the job for good, since a restart would change nothing; all other failures are thrown, so
 * that Flink restores and delivers the same commit again.
 */
final class Publishing implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Publishing.class);
  private static final long FIRST_BACK_OFF_MILLIS = 100;
  private static final long LONGEST_BACK_OFF_MILLIS = 5_000;

  private final SegmentPublisher publisher;
  private final int maxAborts;
  private final Counter commits;
  private final Counter aborts;
  private final FinalizationMetrics finalization;
  private int abortsInARow;
  private volatile long lastPublishMillis;

  /**
   * @param maxAborts how often a hook may refuse one commit
   */
  Publishing(SegmentPublisher publisher, int maxAborts, MetricGroup group) {
    this.publisher = publisher;
    this.maxAborts = maxAborts;
    MetricGroup own = group.addGroup("pinot");
    this.commits = own.counter("commits");
    this.aborts = own.counter("refusedCommits");
    this.finalization = new FinalizationMetrics(group, Clock.systemUTC());
    own.gauge("lastPublishMillis", (Gauge<Long>) () -> lastPublishMillis);
    own.gauge("retries", (Gauge<Long>) publisher::retries);
  }

  /** Checks table and settings. */
  void start() {
    try {
      publisher.start();
    } catch (IllegalArgumentException e) {
      throw new SuppressRestartsException(e);
    }
  }

  /**
   * Publishes, or waits a little if a hook refused.
   *
   * @return false if it was refused and is to be brought again
   */
  boolean publish(PinotCommit commit) throws InterruptedException {
    long start = System.nanoTime();
    try {
      PublishResult result = publisher.publish(commit);
      lastPublishMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      abortsInARow = 0;
      commits.inc();
      if (result instanceof PublishResult.Published published) {
        finalization.committed(published.outcome());
      }
      LOG.info(
          "Commit {} of checkpoint {}: {} segments, {} rows: {}",
          commit.id(),
          commit.checkpointId(),
          commit.segments().size(),
          commit.rows(),
          result.getClass().getSimpleName());
      return true;
    } catch (IllegalArgumentException e) {
      throw new SuppressRestartsException(e);
    } catch (CommitAbortedException e) {
      aborts.inc();
      refused(commit, e);
      return false;
    }
  }

  @Override
  public void close() {
    publisher.close();
  }

  private void refused(PinotCommit commit, CommitAbortedException reason)
      throws InterruptedException {
    int count = ++abortsInARow;
    if (count >= maxAborts) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "Cannot publish commit "
                  + commit.id()
                  + " of checkpoint "
                  + commit.checkpointId()
                  + ": a pre-commit hook refused it "
                  + count
                  + " times, the last time because: "
                  + reason.getMessage()
                  + ". Nothing of it was published; mend the cause and restart from the latest"
                  + " checkpoint.",
              reason));
    }
    LOG.warn(
        "A pre-commit hook refused commit {} ({} of {}): {}",
        commit.id(),
        count,
        maxAborts,
        reason.getMessage());
    TimeUnit.MILLISECONDS.sleep(
        Math.min(LONGEST_BACK_OFF_MILLIS, FIRST_BACK_OFF_MILLIS << Math.min(count - 1, 10)));
  }
}
