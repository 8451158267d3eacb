package dev.tidemark.pinot.flink.internal;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds segments off the task's thread, a bounded number at a time: who brings one more waits,
 * which is the sink's back-pressure.
 */
final class BuildPool implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BuildPool.class);
  private static final long LONGEST_CLOSE_SECONDS = 30;

  private final int size;
  private final ExecutorService executor;
  private final Semaphore free;

  BuildPool(int size, String name) {
    this.size = size;
    this.free = new Semaphore(size);
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    this.executor =
        Executors.newFixedThreadPool(
            size,
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              thread.setContextClassLoader(loader);
              return thread;
            });
  }

  /** Starts a build, once there is room for it. */
  <V> Future<V> submit(Callable<V> build) throws InterruptedException {
    free.acquire();
    try {
      return executor.submit(
          () -> {
            try {
              return build.call();
            } finally {
              free.release();
            }
          });
    } catch (RuntimeException e) {
      free.release();
      throw e;
    }
  }

  /** Builds that run. */
  int inFlight() {
    return size - free.availablePermits();
  }

  /** The result of a build, waited for. */
  static <V> V await(Future<V> build) throws IOException, InterruptedException {
    try {
      return build.get();
    } catch (ExecutionException e) {
      throw new IOException("Cannot build or stage a segment: " + e.getCause(), e.getCause());
    }
  }

  /** Stops what runs and waits for it, so that nothing touches the disk afterwards. */
  @Override
  public void close() {
    executor.shutdownNow();
    try {
      if (!executor.awaitTermination(LONGEST_CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("A segment is still being built {} s after the stop", LONGEST_CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
