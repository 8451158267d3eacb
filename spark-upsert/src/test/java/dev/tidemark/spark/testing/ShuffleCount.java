package dev.tidemark.spark.testing;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;

/** Bytes that tasks write to shuffles between two moments, as Spark tells its listeners. */
public final class ShuffleCount extends SparkListener {
  private static final String MARK = "tidemark-test-mark";

  private final BlockingQueue<Long> writtenAtMarks = new LinkedBlockingQueue<>();
  private final long before;
  private long written; // of the thread that tells listeners alone

  private ShuffleCount() {
    TestSession.get().sparkContext().addSparkListener(this);
    before = mark();
  }

  public static ShuffleCount begin() {
    return new ShuffleCount();
  }

  /** The bytes since the beginning, and the end of the count. */
  public long end() {
    try {
      return mark() - before;
    } finally {
      TestSession.get().sparkContext().removeSparkListener(this);
    }
  }

  /** What was written before now: listeners are told in order, so of a job begun now last. */
  private long mark() {
    SparkSession spark = TestSession.get();
    spark.sparkContext().setLocalProperty(MARK, "true");
    try {
      spark.range(1).foreach(row -> {});
      Long found = writtenAtMarks.poll(60, TimeUnit.SECONDS);
      if (found == null) {
        throw new AssertionError("Spark told its listener nothing of a job for 60 s");
      }
      return found;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } finally {
      spark.sparkContext().setLocalProperty(MARK, null);
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskMetrics() != null) {
      written += end.taskMetrics().shuffleWriteMetrics().bytesWritten();
    }
  }

  @Override
  public void onJobStart(SparkListenerJobStart start) {
    if ("true".equals(start.properties().getProperty(MARK))) {
      writtenAtMarks.add(written);
    }
  }
}
