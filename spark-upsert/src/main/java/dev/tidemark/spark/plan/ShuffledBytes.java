package dev.tidemark.spark.plan;

import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.CommandResult;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ReusedSubqueryExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.util.Utils;
import scala.Option;

/**
 * What rows on their way to other tasks cost: the bytes, compressed, that the shuffles of something
 * that has run wrote, those of its subqueries too. Spark counts them per operator, and a finished
 * task's are there before the action returns. What was broadcast is not among them.
 */
public final class ShuffledBytes {
  private static final String METRIC = "shuffleBytesWritten";

  private ShuffledBytes() {}

  /**
   * Of a statement.
   *
   * @param ran what {@code spark.sql} returned for a command, which runs at once
   */
  public static long ofCommand(Dataset<Row> ran) {
    return execution(ran).commandExecuted() instanceof CommandResult result
        ? of(result.commandPhysicalPlan())
        : 0;
  }

  /**
   * Of a query.
   *
   * @param ran whose own execution has run
   */
  public static long ofQuery(Dataset<Row> ran) {
    return of(execution(ran).executedPlan());
  }

  /** As Spark writes sizes, say 147.0 MiB. */
  public static String text(long bytes) {
    return Utils.bytesToString(bytes);
  }

  private static QueryExecution execution(Dataset<Row> ran) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) ran).queryExecution();
  }

  private static long of(SparkPlan plan) {
    if (plan instanceof AdaptiveSparkPlanExec adaptive) {
      return of(adaptive.executedPlan());
    }
    if (plan instanceof QueryStageExec stage) {
      return of(stage.plan());
    }
    if (plan instanceof ReusedExchangeExec || plan instanceof ReusedSubqueryExec) {
      return 0; // counted where it ran
    }
    return own(plan) + below(plan).mapToLong(ShuffledBytes::of).sum();
  }

  /** An exchange of somebody's extension may count in another way. */
  private static long own(SparkPlan plan) {
    Option<SQLMetric> written = plan.metrics().get(METRIC);
    return plan instanceof ShuffleExchangeLike && written.isDefined() ? written.get().value() : 0;
  }

  private static Stream<SparkPlan> below(SparkPlan plan) {
    return Stream.concat(list(plan.children()), list(plan.subqueries()));
  }

  private static Stream<SparkPlan> list(scala.collection.immutable.Seq<SparkPlan> plans) {
    return scala.jdk.javaapi.CollectionConverters.asJava(plans).stream();
  }
}
