package dev.tidemark.spark.plan;

import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;

/**
 * The physical plan of a statement that has not run, and its exchanges.
 *
 * @param text as Spark explains it
 * @param exchanges how many times rows are sent to other tasks
 */
public record PhysicalPlan(String text, int exchanges) {
  private static final Pattern EXCHANGE =
      Pattern.compile("^[\\s:|+*()0-9-]*(Broadcast)?Exchange\\b", Pattern.MULTILINE);

  /** Plans a statement without running it. */
  public static PhysicalPlan of(SparkSession spark, String statement) {
    String text = spark.sql("EXPLAIN " + statement).first().getString(0);
    return new PhysicalPlan(text, (int) EXCHANGE.matcher(text).results().count());
  }

  /** Whether no row leaves its task. */
  public boolean isShuffleFree() {
    return exchanges == 0;
  }
}
