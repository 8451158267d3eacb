package dev.tidemark.spark.bootstrap;

import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A table of a database, read through Spark's JDBC source.
 *
 * @param url of the database or, better, of a read replica. Spark quotes names for MariaDB only
 *     under {@code jdbc:mysql:}, so give that with {@code permitMysqlScheme}
 * @param table the table, or a query in brackets with an alias
 * @param options of Spark's JDBC source: {@code user}, {@code password}, {@code fetchsize}, and
 *     {@code partitionColumn}, {@code lowerBound}, {@code upperBound}, {@code numPartitions} to
 *     read over several connections
 */
public record JdbcDump(String url, String table, Map<String, String> options) {
  public JdbcDump {
    options = Map.copyOf(options);
  }

  /** Its rows; nothing is read yet. */
  public Dataset<Row> rows(SparkSession spark) {
    return spark
        .read()
        .format("jdbc")
        .options(options)
        .option("url", url)
        .option("dbtable", table)
        .load();
  }

  /** Without the options, which hold a password. */
  @Override
  public String toString() {
    return table + " of " + url.replaceAll("[?].*", "");
  }
}
