package dev.tidemark.cli.serve;

import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.finalization.watermark.Opinion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What one poll read of a table. Immutable and thread-safe.
 *
 * @param table the name as it was given
 * @param finality what it said then
 * @param revocation why the published watermark is revoked, for people; empty if it is not
 * @param commits the commits it keeps, newest first, as many as a timeline shows
 * @param readAt when it was read
 */
public record TableView(
    String table,
    TableFinality finality,
    List<String> revocation,
    List<CommitPoint> commits,
    Instant readAt) {
  public TableView {
    revocation = List.copyOf(revocation);
    commits = List.copyOf(commits);
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

  /**
   * The commit time of the commit that moved the watermark to where it is; empty if there is no
   * watermark, or that commit is older than those kept: then not later than the oldest of them.
   */
  public Optional<Instant> watermarkSince() {
    Opinion opinion = finality.opinion();
    if (opinion == null || opinion.watermarkMillis() == null) {
      return Optional.empty();
    }
    CommitPoint first = null;
    for (CommitPoint point : commits) {
      if (point.opinion() != null
          && !Objects.equals(point.watermarkMillis(), opinion.watermarkMillis())) {
        break;
      }
      first = point.opinion() == null ? first : point;
    }
    return Optional.ofNullable(first)
        .map(point -> Instant.ofEpochMilli(point.commit().timestampMillis()));
  }

  /** Changes whenever what the table says does; as short as an entity tag. */
  String version() {
    String newest = commits.isEmpty() ? "none" : commits.get(0).commit().id();
    return Objects.requireNonNullElse(finality.snapshotId(), "none")
        + "-"
        + newest
        + (finality.revoked() ? "-revoked" : "")
        + (finality.foreign().isEmpty() ? "" : "-" + finality.foreign().total());
  }
}
