package dev.tidemark.cli.explain;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.answer.AnswerJson;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An explanation as JSON: the same members on the command line and over HTTP. */
public final class ExplanationJson {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ExplanationJson() {}

  /**
   * table, state, watermark, from, evidence, policy, hold, names, summary, since, standsSince,
   * responsible, moves, notes. Times are ISO-8601 UTC.
   */
  public static ObjectNode of(Explanation explanation) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", explanation.table());
    json.put("state", explanation.state().name());
    Opinion opinion = explanation.opinion();
    if (opinion != null) {
      json.put("watermark", AnswerJson.time(opinion.watermarkMillis()));
      json.put("from", AnswerJson.time(opinion.watermark().fromMillis()));
      json.put("evidence", opinion.watermark().evidence().toString());
      json.put("policy", opinion.policy().toString());
      Hold hold = opinion.hold();
      json.put("hold", hold == null ? null : hold.reason().name());
      strings(json.putArray("names"), hold == null ? List.of() : hold.names());
    }
    json.put("summary", explanation.summary());
    put(json, "since", explanation.since());
    put(json, "standsSince", explanation.standsSince());
    ArrayNode responsible = json.putArray("responsible");
    for (Responsible one : explanation.responsible()) {
      ObjectNode node = responsible.addObject();
      node.put("kind", one.kind().name().toLowerCase(Locale.ROOT)).put("name", one.name());
      node.put("text", one.text());
      node.set("facts", MAPPER.valueToTree(one.facts()));
    }
    strings(json.putArray("moves"), explanation.moves());
    strings(json.putArray("notes"), explanation.notes());
    return json;
  }

  private static void put(ObjectNode json, String name, Explanation.@Nullable Since since) {
    if (since != null) {
      json.putObject(name)
          .put("commit", since.commit())
          .put("time", AnswerJson.time(since.timeMillis()))
          .put("isOldestRead", since.isOldestRead());
    }
  }

  private static void strings(ArrayNode array, List<String> texts) {
    texts.forEach(array::add);
  }
}
