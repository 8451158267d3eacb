package dev.tidemark.pinot.commit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.QueryResult;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Keys of the segments that Pinot consumed, partition by partition, every version of every key.
 * Segments that were uploaded prove nothing: perhaps an earlier run of the same mistake made them.
 */
final class SqlKeySamples implements KeySamples {
  private static final long serialVersionUID = 1L;
  private static final int SEGMENTS = 5;

  @Override
  public Map<Integer, List<List<Object>>> sample(
      TableShape table, ControllerClient controller, int perPartition) {
    SortedMap<Integer, List<List<Object>>> samples = new TreeMap<>();
    StreamSegments.byPartition(controller.idealState(table.table()).keySet())
        .forEach(
            (partition, segments) ->
                samples.put(partition, keys(table, controller, newest(segments), perPartition)));
    return samples;
  }

  private static List<String> newest(List<String> segments) {
    return segments.subList(Math.max(0, segments.size() - SEGMENTS), segments.size());
  }

  private static List<List<Object>> keys(
      TableShape table, ControllerClient controller, List<String> segments, int limit) {
    List<String> columns = table.primaryKeyColumns();
    String selected =
        columns.stream().map(c -> selected(table, c)).collect(Collectors.joining(", "));
    QueryResult result =
        controller.query(
            table.table(),
            "SET skipUpsert = true; SELECT "
                + selected
                + " FROM "
                + Sql.name(table.table().nameWithType())
                + " WHERE "
                + Sql.segmentIn(segments)
                + " LIMIT "
                + limit);
    List<List<Object>> keys = new ArrayList<>();
    for (List<JsonNode> row : result.rows()) {
      List<Object> key = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        key.add(value(table.dataType(columns.get(i)).orElse("STRING"), row.get(i)));
      }
      keys.add(List.copyOf(key));
    }
    return keys;
  }

  /** The text of a timestamp is in the time zone of whoever answers. */
  private static String selected(TableShape table, String column) {
    return table.dataType(column).filter("TIMESTAMP"::equals).isPresent()
        ? "CAST(" + Sql.name(column) + " AS LONG)"
        : Sql.name(column);
  }

  private static Object value(String type, JsonNode node) {
    return switch (type) {
      case "INT" -> node.intValue();
      case "LONG", "TIMESTAMP" -> node.longValue();
      case "FLOAT" -> node.floatValue();
      case "DOUBLE" -> node.doubleValue();
      case "BIG_DECIMAL" -> new BigDecimal(node.asText());
      case "BOOLEAN" -> node.asBoolean() ? 1 : 0;
      case "BYTES" -> HexFormat.of().parseHex(node.asText());
      default -> node.asText();
    };
  }
}
