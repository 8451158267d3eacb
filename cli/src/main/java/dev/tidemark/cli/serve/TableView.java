package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.cli.explain.Explainer;
import dev.tidemark.cli.explain.ExplanationJson;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What one poll read of a table. Immutable and thread-safe.
 *
 * @param table the name as it was given
 * @param finality what it said then
 * @param revocation why the published watermark is revoked, for people; empty if it is not
 * @param timeline its newest commits, and since when its watermark stands
 * @param readAt when it was read
 */
record TableView(
    String table,
    TableFinality finality,
    List<String> revocation,
    Timeline timeline,
    Instant readAt) {
  public TableView {
    revocation = List.copyOf(revocation);
  }

  /** The commits it keeps, newest first, as many as a timeline shows. */
  List<CommitFacts> commits() {
    return timeline.commits();
  }

  /** What the table said, with the age of its answer as of now. */
  public TableFinality finalityAt(Instant now) {
    Duration since = Duration.between(readAt, now);
    return new TableFinality(
        finality.opinion(),
        finality.revoked(),
        finality.snapshotId(),
        finality.foreign(),
        finality.snapshotId() == null || since.isNegative()
            ? finality.age()
            : finality.age().plus(since),
        finality.endsAtWatermark());
  }

  /** All granules that were reopened, those by foreign commits too. */
  public ReopenedGranules reopened() {
    Opinion opinion = finality.opinion();
    return opinion == null ? ReopenedGranules.NONE : opinion.reopened().plus(finality.foreign());
  }

  /** Why the watermark stands where it stands: as {@code tidemark explain --json}. */
  ObjectNode explanation(Instant now) {
    Stream<RecentCommit> read = commits().stream().map(CommitFacts::commit);
    return ExplanationJson.of(Explainer.explain(table, finalityAt(now), read, revocation));
  }

  /** Changes whenever what the table says does; as short as an entity tag. */
  String version() {
    String newest = commits().isEmpty() ? "none" : commits().get(0).id();
    return Objects.requireNonNullElse(finality.snapshotId(), "none")
        + "-"
        + newest
        + "-"
        + digest(finality);
  }

  /**
   * Of all that the table says. The snapshot alone does not tell: in Pinot an administrator changes
   * the opinion without a commit, and commits of others change what is late.
   */
  static String digest(TableFinality finality) {
    Opinion opinion = finality.opinion();
    Map<String, String> said =
        opinion == null ? Map.of() : new TreeMap<>(FinalizationProperties.write(opinion));
    return Digest.of(
        said
            + (finality.revoked() ? ";revoked;" : ";")
            + finality.foreign().asMap()
            + (finality.endsAtWatermark() ? ";ends" : ""));
  }
}
