package dev.tidemark.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/**
 * The command line in one session, for tests of other modules that cannot have Spark in their JVM:
 * a command a line, its words separated by tabs. After what a command prints comes a line {@code
 * exit N}. Ends with its input.
 */
public final class SparkUpsertShell {
  private SparkUpsertShell() {}

  public static void main(String[] arguments) throws IOException {
    try (SparkSession spark =
            SparkSession.builder()
                .config(
                    "spark.sql.extensions",
                    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
                .getOrCreate();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      SparkUpsert upsert = new SparkUpsert(spark, System.out, Clock.systemUTC());
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println("exit " + upsert.run(List.of(line.split("\t"))));
      }
    }
  }
}
