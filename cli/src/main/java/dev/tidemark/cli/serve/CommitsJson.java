package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.history.HistoryJson;
import org.jspecify.annotations.Nullable;

/** The commits of a table, newest first, as a timeline needs them. */
final class CommitsJson {
  private CommitsJson() {}

  /**
   * The newest commits.
   *
   * @param limit null for all that are kept for the timeline
   */
  static ObjectNode of(TableView view, @Nullable Integer limit) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", view.table());
    json.put("version", view.version());
    ArrayNode commits = json.putArray("commits");
    view.commits().stream()
        .limit(limit == null ? Timeline.MOST : limit)
        .forEach(point -> commits.add(HistoryJson.of(point)));
    return json;
  }
}
