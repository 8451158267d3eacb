package dev.tidemark.spark.cutover;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The catalog and namespace that a session looks names up in.
 *
 * @param namespace its levels; none where a catalog without a default namespace is current
 */
record CurrentPlace(String catalog, List<String> namespace) {
  private static final String SESSION_CATALOG = "spark_catalog";

  CurrentPlace {
    namespace = List.copyOf(namespace);
  }

  /** Where a session is now. */
  static CurrentPlace of(SparkSession spark) {
    Row current = spark.sql("SHOW CURRENT NAMESPACE").first();
    String namespace = current.getString(1);
    return new CurrentPlace(
        current.getString(0), namespace.isEmpty() ? List.of() : parts(spark, namespace));
  }

  /** Reads a catalog and a namespace, quoted for SQL. */
  static CurrentPlace parse(SparkSession spark, String place) {
    List<String> parts = parts(spark, place);
    return new CurrentPlace(parts.get(0), parts.subList(1, parts.size()));
  }

  private static List<String> parts(SparkSession spark, String quoted) {
    try {
      return CollectionConverters.asJava(
          ((org.apache.spark.sql.classic.SparkSession) spark)
              .sessionState()
              .sqlParser()
              .parseMultipartIdentifier(quoted));
    } catch (ParseException e) {
      throw new IllegalArgumentException(
          "Invalid place: " + quoted + " (expected: names with dots between them, quoted)", e);
    }
  }

  /** Does something here, and puts the session back to where it was. */
  void during(SparkSession spark, Runnable action) {
    CurrentPlace before = of(spark);
    try {
      enter(spark);
      action.run();
    } finally {
      before.enter(spark);
    }
  }

  /**
   * Spark leaves a namespace only on the way to another catalog, and refuses to enter an empty one:
   * so by way of the session's catalog, and the namespace only where that has not led there.
   */
  private void enter(SparkSession spark) {
    if (of(spark).equals(this)) {
      return;
    }
    String quoted = ShownQuery.quoted(List.of(catalog), "");
    spark.sql("SET CATALOG " + SESSION_CATALOG);
    spark.sql("SET CATALOG " + quoted);
    if (!of(spark).equals(this)) {
      List<String> parts = new ArrayList<>(List.of(catalog));
      parts.addAll(namespace);
      spark.sql("USE " + ShownQuery.quoted(parts, "."));
    }
  }
}
