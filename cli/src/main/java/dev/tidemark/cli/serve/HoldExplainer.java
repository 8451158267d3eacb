package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Explains by the table's own hold alone: what it is, since when, and what would move it. */
final class HoldExplainer implements Explainer {
  @Override
  public ObjectNode explain(TableView view) {
    Opinion opinion = view.finality().opinion();
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("table", view.table());
    if (view.finality().revoked()) {
      return say(
          json,
          "What was published is revoked: " + String.join("; ", view.revocation()) + ".",
          "If the rollback is meant to stay: tidemark reset. Until then, do not read.");
    }
    if (opinion == null) {
      return say(
          json,
          "The table carries no finalization metadata: nobody claims anything of it.",
          "A writer with finalization switched on.");
    }
    json.put("watermark", text(opinion.watermarkMillis()));
    view.watermarkSince().ifPresent(at -> json.putObject("since").put("time", at.toString()));
    Hold hold = opinion.hold();
    if (hold == null) {
      return say(json, "The newest commit moved the watermark.", "The next whole granule.");
    }
    json.put("hold", hold.reason().name());
    ArrayNode names = json.putArray("names");
    hold.names().forEach(names::add);
    return say(json, why(hold), next(hold.reason()));
  }

  private static ObjectNode say(ObjectNode json, String summary, String move) {
    json.put("summary", summary).putArray("moves").add(move);
    return json;
  }

  private static String why(Hold hold) {
    String who = hold.names().isEmpty() ? "" : listed(hold.names());
    return switch (hold.reason()) {
      case WARM_UP -> "The window of recent commits is not full yet.";
      case INSIDE_GRANULE -> "The newest events lie in the granule that is being filled.";
      case LATE_DATA ->
          "Late rows pulled the candidate below the watermark, which never goes back.";
      case NO_DATA -> "The newest commit held no stream record: nothing says that time went on.";
      case IDLE_SOURCE -> "Source partitions have nothing to read, and the rule is to wait: " + who;
      case SOURCE_BEHIND -> "Source partitions hold data that was not read yet: " + who;
      case WRITER_BEHIND -> "Other registered writers have not come as far: " + who;
      case FOREIGN_COMMIT -> "A commit of somebody else brought rows of unknown event times.";
      case BOOTSTRAP_PENDING -> "A bootstrap runs beside the stream.";
      case ROLLED_BACK -> "The table was rolled back behind the published watermark.";
      case CLOCK -> "The commit time is earlier than that of the commit before: a clock is wrong.";
    };
  }

  private static String next(Hold.Reason reason) {
    return switch (reason) {
      case WARM_UP -> "More commits, or a longer span of commit time.";
      case INSIDE_GRANULE -> "Events of the next granule.";
      case LATE_DATA -> "Commits without such late rows, until these leave the window.";
      case NO_DATA -> "A commit with stream records, or coverage that vouches for an idle source.";
      case IDLE_SOURCE -> "A record or a heartbeat on those partitions.";
      case SOURCE_BEHIND -> "The job reading those partitions up to their ends.";
      case WRITER_BEHIND -> "Commits of those writers; one that is gone: tidemark writers retire.";
      case FOREIGN_COMMIT -> "The next commit with facts.";
      case BOOTSTRAP_PENDING -> "The completion of the bootstrap.";
      case ROLLED_BACK -> "If the rollback is meant to stay: tidemark reset.";
      case CLOCK -> "Commits by a clock that is right.";
    };
  }

  private static String listed(List<String> names) {
    return String.join(", ", names) + ".";
  }

  private static @Nullable String text(@Nullable Long millis) {
    return millis == null ? null : Instant.ofEpochMilli(millis).toString();
  }
}
