package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.late.LateDataReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the engine decided for one attempt to commit.
 *
 * @param opinion the opinion that the commit carries
 * @param decision whether it moved the watermark, else why not
 * @param late rows behind the watermark that the commit is based on; empty if there are none
 * @param coverage the coverage that the commit carries; null without coverage
 * @param worthACommit whether the opinion must be stored even if the commit holds no data: a
 *     watermark or its lower end moved, of the table or of this writer
 */
public record Outcome(
    Opinion opinion,
    Decision decision,
    List<LateDataReport> late,
    @Nullable Coverage coverage,
    boolean worthACommit) {
  public Outcome {
    late = List.copyOf(late);
  }
}
