package dev.tidemark.cli.answer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.sensor.FinalityAnswer;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Answers as JSON: the same members on the command line and over HTTP. Times are ISO-8601 UTC. */
public final class AnswerJson {
  private AnswerJson() {}

  /** What a table says: watermark, from, evidence, policy, hold, epoch, snapshot, age, revoked. */
  public static ObjectNode of(String table, TableFinality finality) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", table);
    json.put("revoked", finality.revoked());
    json.put("snapshotId", finality.snapshotId());
    json.put("ageSeconds", finality.age().toSeconds());
    Opinion opinion = finality.opinion();
    if (opinion != null) {
      json.put("watermark", time(opinion.watermarkMillis()));
      json.put("watermarkMillis", opinion.watermarkMillis());
      json.put("from", time(opinion.watermark().fromMillis()));
      json.put("evidence", opinion.watermark().evidence().toString());
      json.put("policy", opinion.policy().toString());
      Hold hold = opinion.hold();
      json.put("hold", hold == null ? null : hold.toString());
      json.put("epoch", opinion.epoch());
      ObjectNode writers = json.putObject("writers");
      opinion.writers().forEach((name, state) -> writers.put(name, time(state.watermarkMillis())));
    }
    return json;
  }

  /** An answer: what the table says, the span that was asked for, and {@code answer}. */
  public static ObjectNode of(String table, Question question, FinalityAnswer answer) {
    ObjectNode json = of(table, answer.finality());
    json.put("start", time(question.startMillis()));
    json.put("end", time(question.endMillis()));
    json.put("answer", AnswerText.name(answer));
    if (answer instanceof FinalityAnswer.Ready ready) {
      json.put("revision", ready.revision());
    } else if (answer instanceof FinalityAnswer.LateReopened reopened) {
      json.put("revision", reopened.revision());
      json.put("lateRows", reopened.rows());
    }
    return json;
  }

  /** ISO-8601 in UTC; null for none. */
  public static @Nullable String time(@Nullable Long millis) {
    return millis == null ? null : Instant.ofEpochMilli(millis).toString();
  }
}
