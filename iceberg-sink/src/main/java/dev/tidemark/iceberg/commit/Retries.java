package dev.tidemark.iceberg.commit;

import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.util.PropertyUtil;

/**
 * How often, and how far apart, a commit is tried again: Iceberg's own {@code commit.retry.*}
 * properties of the table, with at least {@value #MIN_LIMIT} tries and waits of at most a second,
 * since every commit of another writer costs one here, and a long wait loses to a busy one.
 *
 * @param limit tries after the first
 * @param minWaitMillis wait before the second try; doubled each time, with jitter
 * @param maxWaitMillis the longest wait
 */
record Retries(int limit, long minWaitMillis, long maxWaitMillis) {
  private static final int MIN_LIMIT = 100;
  private static final long MAX_WAIT_MILLIS = 1_000;

  static Retries of(Map<String, String> properties) {
    int limit =
        PropertyUtil.propertyAsInt(
            properties,
            TableProperties.COMMIT_NUM_RETRIES,
            TableProperties.COMMIT_NUM_RETRIES_DEFAULT);
    return new Retries(
        Math.max(MIN_LIMIT, limit),
        PropertyUtil.propertyAsInt(
            properties,
            TableProperties.COMMIT_MIN_RETRY_WAIT_MS,
            TableProperties.COMMIT_MIN_RETRY_WAIT_MS_DEFAULT),
        Math.min(
            MAX_WAIT_MILLIS,
            PropertyUtil.propertyAsInt(
                properties,
                TableProperties.COMMIT_MAX_RETRY_WAIT_MS,
                TableProperties.COMMIT_MAX_RETRY_WAIT_MS_DEFAULT)));
  }

  /** Waits before the try after this one, or gives up. */
  void await(int attempt, String table, RuntimeException cause) {
    if (attempt >= limit) {
      throw new CommitFailedException(
          cause,
          "Cannot commit to table %s: it moved under each of %s attempts (last: %s)",
          table,
          attempt + 1,
          cause.getMessage());
    }
    pause(attempt);
  }

  /** Waits before the try after this one. */
  void pause(int attempt) {
    long wait = Math.min(maxWaitMillis, minWaitMillis << Math.min(attempt, 16));
    try {
      TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(wait / 4, wait + 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommitFailedException(e, "Interrupted while waiting to commit again");
    }
  }
}
