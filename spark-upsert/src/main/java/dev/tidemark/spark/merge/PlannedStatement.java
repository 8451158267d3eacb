package dev.tidemark.spark.merge;

import dev.tidemark.spark.plan.PhysicalPlan;
import dev.tidemark.spark.plan.SessionSettings;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/**
 * Runs a statement of a merge after a look at its plan. Without a shuffle each task writes the
 * bucket that it has read; with one, rows must be sent to the task of their partition before they
 * are written, or every task would write a file for every partition.
 */
final class PlannedStatement {
  private static final String DISTRIBUTION = "spark.sql.iceberg.distribution-mode";

  private final SparkSession spark;

  PlannedStatement(SparkSession spark) {
    this.spark = spark;
  }

  /** Runs it if no row leaves its task; null if one would, and then nothing has run. */
  @Nullable Cost runIfShuffleFree(String statement, MergeCommit commit) {
    return SessionSettings.run(
        spark,
        Map.of(DISTRIBUTION, "none"),
        () -> {
          PhysicalPlan plan = PhysicalPlan.of(spark, statement);
          return plan.isShuffleFree() ? run(plan, statement, commit) : null;
        });
  }

  /** Runs it with whatever exchanges it needs. */
  Cost run(String statement, MergeCommit commit) {
    return SessionSettings.run(
        spark,
        Map.of(DISTRIBUTION, "hash"),
        () -> run(PhysicalPlan.of(spark, statement), statement, commit));
  }

  private Cost run(PhysicalPlan plan, String statement, MergeCommit commit) {
    return new Cost(plan.exchanges(), commit.with(spark, statement));
  }
}
