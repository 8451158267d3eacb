package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Hold;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The commits of a table, newest first, as a timeline needs them. */
final class CommitsJson {
  private static final double MEDIAN = 0.5;

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
        .limit(limit == null ? TablePoller.MAX_COMMITS : limit)
        .forEach(point -> commits.add(commit(point)));
    return json;
  }

  private static ObjectNode commit(CommitPoint point) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("id", point.commit().id());
    json.put("time", time(point.commit().timestampMillis()));
    json.put("writer", point.commit().properties().get(FinalizationProperties.WRITER));
    json.put("foreign", point.opinion() == null);
    json.put("rows", point.times().count());
    if (!point.times().isEmpty()) {
      json.put("min", time(point.times().minMillis()));
      json.put("p50", time(point.times().quantileMillis(MEDIAN)));
      json.put("max", time(point.times().maxMillis()));
    }
    json.put("watermark", time(point.watermarkMillis()));
    json.put("lateRows", point.late());
    Hold hold = point.hold();
    json.put("hold", hold == null ? null : hold.toString());
    return json;
  }

  private static @Nullable String time(@Nullable Long millis) {
    return millis == null ? null : Instant.ofEpochMilli(millis).toString();
  }
}
