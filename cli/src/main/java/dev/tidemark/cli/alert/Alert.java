package dev.tidemark.cli.alert;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Map;

/**
 * Something that people want to be told of, once.
 *
 * @param kind what it is
 * @param table which table
 * @param key always the same for the same event, so that a receiver can tell a repetition
 * @param text in words
 * @param at when it was noticed
 * @param details more, for programs; numbers and ISO-8601 times as text
 */
record Alert(
    Kind kind, String table, String key, String text, Instant at, Map<String, String> details) {
  /** The kinds of alert. */
  enum Kind {
    /** A granule that was final got rows. */
    LATE_DATA,
    /** The watermark has not moved for too long. */
    STALLED,
    /** It moved again. */
    STALL_RESOLVED,
    /** The table was rolled back behind a published watermark. */
    REVOKED,
    /** The rollback was taken back, or meant to stay. */
    REVOKED_RESOLVED
  }

  Alert {
    details = Map.copyOf(details);
  }

  /**
   * As a webhook sends it.
   *
   * @param droppedBefore how many alerts before it were dropped since the last that was delivered
   */
  ObjectNode json(long droppedBefore) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("kind", kind.name()).put("table", table).put("key", key).put("text", text);
    json.put("at", at.toString());
    details.keySet().stream().sorted().forEach(name -> json.put(name, details.get(name)));
    if (droppedBefore > 0) {
      json.put("droppedBefore", droppedBefore);
    }
    return json;
  }
}
