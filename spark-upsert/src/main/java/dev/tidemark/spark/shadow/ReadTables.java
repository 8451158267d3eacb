package dev.tidemark.spark.shadow;

import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.jdk.javaapi.CollectionConverters;

/** The Iceberg tables that a query reads, by whatever name and through whatever views. */
final class ReadTables {
  private ReadTables() {}

  /** Their UUIDs. A table of Iceberg's first format that never got one is left out. */
  static Set<UUID> of(Dataset<Row> rows) {
    Set<UUID> tables = new HashSet<>();
    LogicalPlan plan =
        ((org.apache.spark.sql.classic.Dataset<Row>) rows).queryExecution().analyzed();
    collect(plan, tables);
    return tables;
  }

  private static void collect(LogicalPlan plan, Set<UUID> tables) {
    if (plan instanceof DataSourceV2Relation relation
        && relation.table() instanceof SparkTable read
        && hasUuid(read.table())) {
      tables.add(read.table().uuid());
    }
    CollectionConverters.asJava(plan.children()).forEach(child -> collect(child, tables));
    CollectionConverters.asJava(plan.subqueries()).forEach(inner -> collect(inner, tables));
  }

  private static boolean hasUuid(Table table) {
    return !(table instanceof HasTableOperations known)
        || known.operations().current().uuid() != null;
  }
}
