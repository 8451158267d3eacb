package dev.tidemark.spark.merge;

import dev.tidemark.spark.plan.PhysicalPlan;
import java.util.List;
import org.apache.iceberg.Table;
import org.apache.spark.sql.SparkSession;

/**
 * Runs a MERGE after a look at its plan. Without a shuffle each task writes the bucket that it has
 * read; with one, rows must be sent to the task of their partition before they are written, or
 * every task would write a file for every partition.
 */
final class PlannedStatement {
  private static final String DISTRIBUTION = "spark.sql.iceberg.distribution-mode";

  private final SparkSession spark;
  private final Table base;

  PlannedStatement(SparkSession spark, Table base) {
    this.spark = spark;
    this.base = base;
  }

  /** Runs it; returns how many exchanges its plan has. */
  int run(String statement, MergeCommit commit, List<String> notes) {
    String before = spark.conf().get(DISTRIBUTION, null);
    try {
      spark.conf().set(DISTRIBUTION, "none");
      PhysicalPlan plan = PhysicalPlan.of(spark, statement);
      if (!plan.isShuffleFree()) {
        spark.conf().set(DISTRIBUTION, "hash");
        plan = PhysicalPlan.of(spark, statement);
        notes.add(
            plan.exchanges()
                + " exchanges: ledger and base table are not bucketed alike (base: "
                + base.spec()
                + "); a staging table with the base table's buckets would avoid them");
      }
      commit.with(spark, statement);
      return plan.exchanges();
    } finally {
      if (before == null) {
        spark.conf().unset(DISTRIBUTION);
      } else {
        spark.conf().set(DISTRIBUTION, before);
      }
    }
  }
}
