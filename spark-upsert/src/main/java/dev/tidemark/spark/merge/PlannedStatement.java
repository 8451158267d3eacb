package dev.tidemark.spark.merge;

import dev.tidemark.spark.plan.PhysicalPlan;
import dev.tidemark.spark.plan.SessionSettings;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;

/**
 * Runs a statement of a merge after a look at its plan. Without a shuffle each task writes the
 * bucket that it has read; with one, rows must be sent to the task of their partition before they
 * are written, or every task would write a file for every partition.
 */
final class PlannedStatement {
  private static final String DISTRIBUTION = "spark.sql.iceberg.distribution-mode";

  private final SparkSession spark;
  private final Table base;

  PlannedStatement(SparkSession spark, Table base) {
    this.spark = spark;
    this.base = base;
  }

  /** Runs it; returns the plan that it ran with. */
  PhysicalPlan run(String statement, MergeCommit commit, List<String> notes) {
    PhysicalPlan plan =
        SessionSettings.run(
            spark, Map.of(DISTRIBUTION, "none"), () -> runIfShuffleFree(statement, commit));
    if (plan.isShuffleFree()) {
      return plan;
    }
    notes.add(
        plan.exchanges()
            + " exchanges to join: ledger and base table are not bucketed alike (base: "
            + base.spec().fields()
            + "); a staging table with the base table's buckets avoids them");
    return SessionSettings.run(
        spark, Map.of(DISTRIBUTION, "hash"), () -> runWithShuffle(statement, commit));
  }

  private PhysicalPlan runIfShuffleFree(String statement, MergeCommit commit) {
    PhysicalPlan plan = PhysicalPlan.of(spark, statement);
    if (plan.isShuffleFree()) {
      commit.with(spark, statement);
    }
    return plan;
  }

  private PhysicalPlan runWithShuffle(String statement, MergeCommit commit) {
    PhysicalPlan plan = PhysicalPlan.of(spark, statement);
    commit.with(spark, statement);
    return plan;
  }
}
