package dev.tidemark.spark.testing;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/** Bytes that tasks write to shuffles between two moments, as Spark tells its listeners. */
public final class ShuffleCount extends SparkListener {
  private static final String LAST = "tidemark-test-last";

  private final AtomicLong written = new AtomicLong();
  private final CountDownLatch last = new CountDownLatch(1);

  private ShuffleCount() {}

  public static ShuffleCount begin() {
    ShuffleCount count = new ShuffleCount();
    TestSession.get().sparkContext().addSparkListener(count);
    return count;
  }

  /** Waits for what happened before: listeners are told in order, and so of a last job last. */
  public long end() {
    SparkSession spark = TestSession.get();
    spark.sparkContext().setLocalProperty(LAST, "true");
    try {
      spark.range(1).foreach(row -> {});
      if (!last.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("Spark told its listener nothing of a job for 60 s");
      }
      return written.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } finally {
      spark.sparkContext().setLocalProperty(LAST, null);
      spark.sparkContext().removeSparkListener(this);
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskMetrics() != null) {
      written.addAndGet(end.taskMetrics().shuffleWriteMetrics().bytesWritten());
    }
  }

  @Override
  public void onJobStart(SparkListenerJobStart start) {
    if ("true".equals(start.properties().getProperty(LAST))) {
      last.countDown();
    }
  }
}
