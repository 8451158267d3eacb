package dev.tidemark.cli.replay;

import dev.tidemark.finalization.watermark.Hold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one commit does to a watermark: published, or replayed.
 *
 * @param commit the commit
 * @param base the watermark that it is based on, exclusive; null for none
 * @param after the watermark that it leaves; null for none
 * @param hold why it stays; null if it moved
 */
public record Step(
    HistoryCommit commit, @Nullable Long base, @Nullable Long after, @Nullable Hold hold) {

  /** The steps that the table itself published. */
  static List<Step> published(StoredHistory history) {
    return history.commits().stream()
        .map(
            commit ->
                new Step(
                    commit,
                    commit.publishedBase(),
                    commit.after().watermarkMillis(),
                    commit.after().hold()))
        .toList();
  }
}
