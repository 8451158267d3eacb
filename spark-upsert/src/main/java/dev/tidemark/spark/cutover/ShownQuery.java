package dev.tidemark.spark.cutover;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchDatabaseException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.connector.catalog.View;
import org.jspecify.annotations.Nullable;

/**
 * What a view shows: all that is needed to make it show the same again, whoever made it.
 *
 * @param query its text
 * @param place the catalog and namespace that names of the query are looked up in, quoted for SQL;
 *     empty where that is not known
 * @param aliases names of its columns, quoted for SQL, where they are not those of the query; else
 *     empty
 * @param target what a swap was asked to show; empty where somebody else made the view
 */
record ShownQuery(String query, String place, String aliases, String target) {
  private static final String PREFIX = "tidemark.";

  /** A query of our own: it names everything in full. */
  static ShownQuery ours(String query, String target) {
    return new ShownQuery(query, "", "", target);
  }

  static ShownQuery of(View view) {
    List<String> place = new ArrayList<>();
    if (view.currentCatalog() != null) {
      place.add(view.currentCatalog());
      place.addAll(Arrays.asList(view.currentNamespace()));
    }
    return new ShownQuery(
        view.query(),
        quoted(place, "."),
        aliases(Arrays.asList(view.schema().fieldNames()), Arrays.asList(view.queryColumnNames())),
        view.properties().getOrDefault(PREFIX + "target", ""));
  }

  static ShownQuery of(CatalogTable view) {
    return new ShownQuery(
        view.viewText().get(),
        quoted(list(view.viewCatalogAndNamespace()), "."),
        aliases(Arrays.asList(view.schema().fieldNames()), list(view.viewQueryColumnNames())),
        properties(view).getOrDefault(PREFIX + "target", ""));
  }

  /** What it showed before, as a swap has kept it; null if none has. */
  static @Nullable ShownQuery before(Map<String, String> properties) {
    String query = properties.getOrDefault(PREFIX + "previous", "");
    return query.isEmpty()
        ? null
        : new ShownQuery(
            query,
            properties.getOrDefault(PREFIX + "previous.place", ""),
            properties.getOrDefault(PREFIX + "previous.aliases", ""),
            properties.getOrDefault(PREFIX + "previous.target", ""));
  }

  /**
   * Whether a view fell back to this and was not moved since, also by nobody else.
   *
   * @param properties of the view
   */
  boolean isFallenBackTo(Map<String, String> properties) {
    return query.equals(properties.get(PREFIX + "fallen-back-to"));
  }

  /**
   * The properties of a view that shows this and has shown something else before.
   *
   * @param isBack whether this is what it fell back to
   */
  String properties(@Nullable ShownQuery previous, boolean isBack) {
    ShownQuery kept = previous == null ? ours("", "") : previous;
    return "'tidemark.target' = '%s', 'tidemark.fallen-back-to' = '%s', 'tidemark.previous' = '%s', 'tidemark.previous.place' = '%s', 'tidemark.previous.aliases' = '%s', 'tidemark.previous.target' = '%s'"
        .formatted(
            escaped(target),
            isBack ? escaped(query) : "",
            escaped(kept.query),
            escaped(kept.place),
            escaped(kept.aliases),
            escaped(kept.target));
  }

  /** Whether both were asked to show the same thing, though its columns may have changed. */
  boolean hasTargetOf(ShownQuery other) {
    return target.isEmpty() ? query.equals(other.query) : target.equals(other.target);
  }

  static Map<String, String> properties(CatalogTable table) {
    return scala.jdk.javaapi.CollectionConverters.asJava(table.properties());
  }

  static @Nullable CatalogTable inSessionCatalog(SparkSession spark, String view) {
    var state = ((org.apache.spark.sql.classic.SparkSession) spark).sessionState();
    try {
      return state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier(view));
    } catch (Exception e) {
      // Scala declares nothing, so the compiler lets nobody catch what is thrown by name.
      if (e instanceof NoSuchTableException || e instanceof NoSuchDatabaseException) {
        return null;
      }
      throw new IllegalStateException("Cannot look up view " + view, e);
    }
  }

  private static String aliases(List<String> names, List<String> ofQuery) {
    return names.equals(ofQuery) || ofQuery.isEmpty() ? "" : quoted(names, ", ");
  }

  private static List<String> list(scala.collection.immutable.Seq<String> names) {
    return scala.jdk.javaapi.CollectionConverters.asJava(names);
  }

  static String quoted(List<String> names, String separator) {
    return names.stream()
        .map(name -> "`" + name.replace("`", "``") + "`")
        .collect(Collectors.joining(separator));
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("'", "\\'");
  }
}
