package dev.tidemark.finalization.watermark;

import org.jspecify.annotations.Nullable;

/**
 * What an opinion knows of one registered writer.
 *
 * @param watermarkMillis its own watermark, exclusive; null before its first candidate
 * @param evidence what that rests on
 * @param highestMillis the highest valid event time it committed; null before the first
 * @param statistic the policy whose statistic the window holds, as text; another one empties it
 * @param window its recent commits
 */
public record WriterState(
    @Nullable Long watermarkMillis,
    Evidence evidence,
    @Nullable Long highestMillis,
    String statistic,
    CommitWindow window) {

  /** A writer that has registered and committed nothing yet. */
  public static WriterState registered(FinalizationPolicy policy) {
    return new WriterState(null, policy.evidence(), null, policy.toString(), CommitWindow.EMPTY);
  }

  WriterState withWatermark(long newWatermark, Evidence newEvidence) {
    return new WriterState(newWatermark, newEvidence, highestMillis, statistic, window);
  }

  WriterState withCommit(CommitWindow newWindow, long maxMillis, String newStatistic) {
    long highest = highestMillis == null ? maxMillis : Math.max(highestMillis, maxMillis);
    return new WriterState(watermarkMillis, evidence, highest, newStatistic, newWindow);
  }

  WriterState withWindow(CommitWindow newWindow) {
    return new WriterState(watermarkMillis, evidence, highestMillis, statistic, newWindow);
  }
}
