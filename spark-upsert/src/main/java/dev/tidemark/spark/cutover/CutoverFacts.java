package dev.tidemark.spark.cutover;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the checklist must be told, since no table knows it. Keys of a properties file:
 *
 * <pre>
 * flink.conf               Flink's configuration file, or its REST answer, as text
 * schema-registry.url      http://…
 * schema-registry.subjects comma-separated
 * source.url               jdbc:… of the source, .user, .password-env
 * alerts.kafka-lag         where the alert on Kafka lag goes
 * alerts.failed-checkpoints
 * rollback.document        path or URL of the written way back
 * ledgers.from-creation    namespace.table, comma-separated: ledgers that hold their source table
 *                          from its first row on, so that no dump is needed
 * </pre>
 */
public record CutoverFacts(Map<String, String> facts) {
  public CutoverFacts {
    facts = Map.copyOf(facts);
  }

  /** A fact; null if it was not told, or is blank. */
  @Nullable String get(String key) {
    String value = facts.get(key);
    return value == null || value.isBlank() ? null : value.strip();
  }

  /** The names between the commas of a fact; none if it was not told. */
  List<String> list(String key) {
    String value = get(key);
    return value == null
        ? List.of()
        : Arrays.stream(value.split(",")).map(String::strip).filter(one -> !one.isEmpty()).toList();
  }
}
