package dev.tidemark.quickstart.embedded.pinot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Asks a broker in SQL. Safe for several threads. */
public final class PinotQueries {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PinotHttp broker;

  PinotQueries(PinotCluster cluster) {
    this.broker = new PinotHttp(cluster.brokerUrl(), cluster.authorization());
  }

  /**
   * The rows of an answer that is whole. Values come as the type of their column says: Integer,
   * Long, Float, Double, BigDecimal, Boolean, a List for several values, null, and a String for
   * everything else (bytes in hexadecimal, timestamps as Pinot writes them).
   *
   * <p>Without a LIMIT in the query there are at most ten rows. Nulls need {@code SET
   * enableNullHandling=true;} before it.
   *
   * @throws IllegalStateException if the broker reports an error, or leaves out segments or servers
   */
  public List<List<@Nullable Object>> rows(String sql) {
    Answer answer = answer(sql);
    if (!answer.isWhole()) {
      throw new IllegalStateException("Cannot query \"%s\": %s".formatted(sql, answer.json()));
    }
    return answer.rows();
  }

  /** The only value of the only row of an answer, as a number. */
  public long number(String sql) {
    List<List<@Nullable Object>> rows = rows(sql);
    if (rows.size() == 1 && rows.get(0).size() == 1 && rows.get(0).get(0) instanceof Number value) {
      return value.longValue();
    }
    throw new IllegalStateException(
        "Invalid answer to \"%s\": %s (expected: one number)".formatted(sql, rows));
  }

  /** How many rows a query sees in a table. */
  public long count(String rawTableName) {
    return number("SELECT COUNT(*) FROM \"" + rawTableName + "\"");
  }

  Answer answer(String sql) {
    try {
      return new Answer(broker.post("/query/sql", JSON.writeValueAsString(Map.of("sql", sql))));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write as JSON: " + sql, e);
    }
  }

  /** What a broker answered, perhaps in part. */
  record Answer(JsonNode json) {

    boolean isWhole() {
      return json.path("exceptions").isEmpty()
          && !json.path("partialResult").asBoolean()
          && json.path("numServersQueried").asInt() == json.path("numServersResponded").asInt();
    }

    List<List<@Nullable Object>> rows() {
      JsonNode table = json.path("resultTable");
      JsonNode types = table.path("dataSchema").path("columnDataTypes");
      List<List<@Nullable Object>> rows = new ArrayList<>();
      for (JsonNode row : table.path("rows")) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int column = 0; column < row.size(); column++) {
          values.add(value(row.get(column), types.get(column).asText()));
        }
        rows.add(values);
      }
      return rows;
    }

    private static @Nullable Object value(JsonNode node, String type) {
      if (node.isNull()) {
        return null;
      }
      if (node.isArray()) {
        List<@Nullable Object> values = new ArrayList<>();
        node.forEach(element -> values.add(value(element, type.replace("_ARRAY", ""))));
        return values;
      }
      return switch (type) {
        case "INT" -> node.asInt();
        case "LONG" -> node.asLong();
        case "FLOAT" -> (float) node.asDouble();
        case "DOUBLE" -> node.asDouble();
        case "BOOLEAN" -> node.asBoolean();
        case "BIG_DECIMAL" -> new BigDecimal(node.asText());
        default -> node.isValueNode() ? node.asText() : node.toString();
      };
    }
  }
}
