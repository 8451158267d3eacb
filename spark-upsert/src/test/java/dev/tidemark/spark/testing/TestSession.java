package dev.tidemark.spark.testing;

import org.apache.spark.sql.SparkSession;

/** The one Spark session of this JVM. */
public final class TestSession {
  private static final SparkSession SESSION =
      SparkSession.builder()
          .appName("spark-upsert tests")
          .master("local[2]")
          .config("spark.ui.enabled", "false")
          .config("spark.driver.bindAddress", "127.0.0.1")
          .config("spark.driver.host", "127.0.0.1")
          .config("spark.sql.shuffle.partitions", "2")
          .config(
              "spark.sql.extensions",
              "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
          .getOrCreate();

  private TestSession() {}

  public static SparkSession get() {
    return SESSION;
  }
}
