package dev.tidemark.pipeline.debezium;

import static java.util.Objects.requireNonNull;

import dev.tidemark.pipeline.event.TableId;
import dev.tidemark.pipeline.schema.TableSchema;
import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the decoder must know that a message may not say. Java serialization carries it to the task
 * managers in the job graph, never into a checkpoint.
 *
 * @param declared the schema of a table whose messages come without one. A precise decimal needs
 *     it: plain JSON has no scale. It cannot be checked against the source, so a scale changed by
 *     ALTER TABLE must be changed here too; {@code decimal.handling.mode=string} and messages with
 *     schema do not have that risk
 * @param unavailablePlaceholder the connector's {@code unavailable.value.placeholder}
 */
public record DebeziumFormat(Map<TableId, TableSchema> declared, String unavailablePlaceholder)
    implements Serializable {
  public DebeziumFormat {
    declared = Map.copyOf(declared);
    requireNonNull(unavailablePlaceholder, "unavailablePlaceholder is null");
  }

  /** Nothing declared: messages with schema are typed, plain ones keep their raw JSON values. */
  public static DebeziumFormat undeclared() {
    return declaring(Map.of());
  }

  /** These tables declared, and Debezium's default placeholder. */
  public static DebeziumFormat declaring(Map<TableId, TableSchema> declared) {
    return new DebeziumFormat(declared, UnavailableValue.DEFAULT_PLACEHOLDER);
  }

  @Nullable TableSchema schemaOf(TableId table) {
    return declared.get(table);
  }
}
