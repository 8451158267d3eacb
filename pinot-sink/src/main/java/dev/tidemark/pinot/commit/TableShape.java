package dev.tidemark.pinot.commit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.pinot.PinotConfigs;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a table's config and schema say of how segments get into it. Read once; immutable as long as
 * nobody changes the documents.
 */
public final class TableShape {
  private final PinotTable table;
  private final JsonNode config;
  private final JsonNode schema;

  /** What upsert does with a row whose key is there. */
  enum Upsert {
    NONE,
    FULL,
    PARTIAL
  }

  /** From the documents as the controller gives them. */
  public TableShape(PinotTable table, JsonNode config, JsonNode schema) {
    this.table = table;
    this.config = config;
    this.schema = schema;
  }

  /**
   * Reads a table's documents.
   *
   * @throws IllegalArgumentException if there is no such table
   */
  public static TableShape read(PinotTable table, ControllerClient controller) {
    JsonNode config = controller.tableConfig(table).orElseThrow(() -> missing("config", table));
    JsonNode schema =
        controller.schema(table.rawName()).orElseThrow(() -> missing("schema", table));
    return new TableShape(table, config, schema);
  }

  /** The table. */
  public PinotTable table() {
    return table;
  }

  /** Columns of the primary key, in their order; empty without one. */
  public List<String> primaryKeyColumns() {
    return texts(schema.path("primaryKeyColumns"));
  }

  /** The time column; empty without one. */
  public Optional<String> timeColumn() {
    return text(config.path("segmentsConfig").path("timeColumnName"));
  }

  /** The columns that decide between rows of one key: the time column if none are configured. */
  public List<String> comparisonColumns() {
    List<String> columns = texts(upsertConfig().path("comparisonColumns"));
    return columns.isEmpty() ? timeColumn().map(List::of).orElse(List.of()) : columns;
  }

  /** The Pinot type of a column, such as {@code LONG}; empty if there is no such column. */
  public Optional<String> dataType(String column) {
    return field(column).flatMap(field -> text(field.path("dataType")));
  }

  Upsert upsert() {
    JsonNode upsert = upsertConfig();
    if (upsert.isMissingNode() || upsert.isNull()) {
      return Upsert.NONE;
    }
    return Upsert.valueOf(upsert.path("mode").asText("FULL").toUpperCase(Locale.ROOT));
  }

  boolean isDedup() {
    JsonNode dedup = config.path("dedupConfig");
    return dedup.isObject() && dedup.path("dedupEnabled").asBoolean(true);
  }

  boolean routesByReplicaGroup() {
    String selector = config.path("routing").path("instanceSelectorType").asText("");
    return selector.equalsIgnoreCase("strictReplicaGroup")
        || selector.equalsIgnoreCase("multiStageReplicaGroup");
  }

  /** After how long of comparison values a key is forgotten, in their own unit; 0 for never. */
  double metadataTtl() {
    return upsertConfig().path("metadataTTL").asDouble(0);
  }

  /** After how long of comparison values a deleted key is forgotten; 0 for never. */
  double deletedKeysTtl() {
    return upsertConfig().path("deletedKeysTTL").asDouble(0);
  }

  /** How long rows are kept; empty for ever. */
  Optional<Duration> retention() {
    Long millis = PinotConfigs.retentionMillis(config);
    return millis == null ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
  }

  /** How many milliseconds one step of a column is; null if it is no time, counted since 1970. */
  @Nullable Long millisPerStep(String column) {
    String format = field(column).map(f -> f.path("format").asText("")).orElse("");
    if (format.matches("(?i)(.*[:|])?TIMESTAMP")) {
      return 1L;
    }
    List<String> words = List.of(format.split("[:|]"));
    int epoch = words.indexOf("EPOCH");
    if (epoch < 0) {
      return null;
    }
    String unit = "MILLISECONDS";
    long size = 1;
    for (String word : words) {
      if (word.matches("\\d+")) {
        size = Long.parseLong(word);
      } else if (word.matches("[A-Z]+S")) {
        unit = word;
      }
    }
    long millis = TimeUnit.valueOf(unit).toMillis(size);
    return millis > 0 ? Long.valueOf(millis) : null;
  }

  JsonNode config() {
    return config;
  }

  private JsonNode upsertConfig() {
    return config.path("upsertConfig");
  }

  private Optional<JsonNode> field(String column) {
    for (String kind : List.of("dimensionFieldSpecs", "metricFieldSpecs", "dateTimeFieldSpecs")) {
      for (JsonNode field : schema.path(kind)) {
        if (column.equals(field.path("name").asText())) {
          return Optional.of(field);
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> text(JsonNode node) {
    return node.isMissingNode() || node.isNull() || node.asText().isBlank()
        ? Optional.empty()
        : Optional.of(node.asText());
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(item -> texts.add(item.asText()));
    return List.copyOf(texts);
  }

  private static IllegalArgumentException missing(String what, PinotTable table) {
    return new IllegalArgumentException(
        "Cannot publish to "
            + table
            + ": the controller has no "
            + what
            + " of it (expected: a table that exists, with a schema of its own name)");
  }
}
