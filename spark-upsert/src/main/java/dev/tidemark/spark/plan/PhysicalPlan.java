package dev.tidemark.spark.plan;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;

/**
 * The physical plan of a statement that has not run, and its exchanges: the places where rows are
 * sent to other tasks.
 *
 * @param text as Spark explains it
 * @param exchanges on the way of the rows
 * @param broadcasts of the exchanges, those that bring a few rows to every task
 * @param filterExchanges in subqueries, which look for the files to read: names of files alone
 */
public record PhysicalPlan(String text, int exchanges, int broadcasts, int filterExchanges) {
  private static final Pattern OPERATOR = Pattern.compile("^([\\s:|+*()0-9-]*)([A-Za-z]+)");

  /** Plans a statement without running it. */
  public static PhysicalPlan of(SparkSession spark, String statement) {
    return parse(spark.sql("EXPLAIN " + statement).first().getString(0));
  }

  /** Reads the tree that Spark prints: one operator a line, deeper by its indent. */
  static PhysicalPlan parse(String text) {
    int exchanges = 0;
    int broadcasts = 0;
    int filterExchanges = 0;
    int subquery = Integer.MAX_VALUE;
    for (String line : text.lines().toList()) {
      Matcher operator = OPERATOR.matcher(line);
      if (!operator.find()) {
        continue;
      }
      int indent = operator.group(1).length();
      subquery = indent <= subquery ? Integer.MAX_VALUE : subquery;
      String name = operator.group(2);
      if (name.startsWith("Subquery")) {
        subquery = Math.min(subquery, indent);
      } else if (name.endsWith("Exchange")) {
        exchanges += indent > subquery ? 0 : 1;
        broadcasts += indent <= subquery && name.startsWith("Broadcast") ? 1 : 0;
        filterExchanges += indent > subquery ? 1 : 0;
      }
    }
    return new PhysicalPlan(text, exchanges, broadcasts, filterExchanges);
  }

  /** Whether no row leaves its task, but for those that every task gets. */
  public boolean isShuffleFree() {
    return exchanges == broadcasts;
  }
}
