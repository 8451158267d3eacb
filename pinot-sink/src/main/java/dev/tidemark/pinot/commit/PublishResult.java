package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.watermark.Outcome;
import org.jspecify.annotations.Nullable;

/** What became of a commit. */
public sealed interface PublishResult {
  /**
   * It was published now.
   *
   * @param outcome what finalization decided; null without finalization
   */
  record Published(@Nullable Outcome outcome) implements PublishResult {}

  /** It had been published before; nothing was changed. */
  record AlreadyPublished() implements PublishResult {}

  /** There was nothing to publish and nothing to say. */
  record Skipped() implements PublishResult {}
}
