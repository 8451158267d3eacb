package dev.tidemark.cli.explain;

import dev.tidemark.finalization.watermark.Opinion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why the watermark of a table stands where it stands. Immutable; made by {@link Explainer}, said
 * as JSON by {@link ExplanationJson}.
 *
 * @param table the table's name
 * @param state what the opinion comes to
 * @param opinion the opinion; null if the table has none
 * @param summary the reason in one or two sentences
 * @param since the first commit of the unbroken run that has this hold; null if that is not kept
 * @param standsSince the first commit of the unbroken run that has this watermark, under whatever
 *     hold; null if that is not kept
 * @param responsible the commits, writers, partitions, hours; the worst first
 * @param moves what would move the watermark, each in one sentence
 * @param notes what else should be known
 */
public record Explanation(
    String table,
    State state,
    @Nullable Opinion opinion,
    String summary,
    @Nullable Since since,
    @Nullable Since standsSince,
    List<Responsible> responsible,
    List<String> moves,
    List<String> notes) {

  /** What an opinion comes to. */
  public enum State {
    /** The last commit moved the watermark. */
    MOVED,
    /** The watermark stays, for the reason of its hold. */
    HELD,
    /** The table was rolled back behind a watermark that had been published. */
    REVOKED,
    /** Nobody claims anything. */
    UNKNOWN
  }

  /**
   * Since when.
   *
   * @param commit the store's id of the first commit that is like this
   * @param timeMillis its commit time
   * @param isOldestRead whether what came before it was not read or is not kept, so that it may
   *     have begun earlier
   */
  public record Since(String commit, long timeMillis, boolean isOldestRead) {}

  public Explanation {
    responsible = List.copyOf(responsible);
    moves = List.copyOf(moves);
    notes = List.copyOf(notes);
  }
}
