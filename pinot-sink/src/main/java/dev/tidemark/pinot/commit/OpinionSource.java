package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.Opinion;
import java.io.Serializable;
import java.util.Optional;

/**
 * An opinion that is formed elsewhere and carried over, instead of being decided from this table's
 * own facts: that of the Iceberg table which the same job fills, or which is being copied. Called
 * on the committing thread; a job graph carries it.
 */
@FunctionalInterface
public interface OpinionSource extends Serializable {
  /**
   * What may be said of the table once this commit is in it.
   *
   * @return empty if nothing new: the opinion stays as it is
   */
  Optional<Opinion> opinionAfter(PinotCommit commit);

  /**
   * An opinion that was read beforehand, of the table that a bounded input copies: it holds once
   * the input has ended, and the last commit carries it over.
   */
  static OpinionSource atEndOfInput(Opinion opinion) {
    return new FinalOpinion(opinion);
  }
}
