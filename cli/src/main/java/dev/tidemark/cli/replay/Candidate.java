package dev.tidemark.cli.replay;

import dev.tidemark.finalization.watermark.PolicyText;

/**
 * A policy that was tried.
 *
 * @param policy policy, window and granule
 * @param earlier over the earlier half, on which one is chosen
 * @param earlierBound what its share of late rows may be there, with 95 % confidence
 * @param later over the later half, which was held out
 */
public record Candidate(PolicyText policy, Figures earlier, double earlierBound, Figures later) {

  /** Whether it would be chosen: within the budget on the earlier half, with confidence. */
  public boolean isSure(Budget budget) {
    return earlierBound <= budget.maxLateShare() && budget.allowsLag(earlier);
  }

  /** Whether it was within the budget on the earlier half, by luck or not. */
  boolean wasWithin(Budget budget) {
    return earlier.mostLateShare() <= budget.maxLateShare() && budget.allowsLag(earlier);
  }

  /** Whether it is within the budget on the half that was held out. */
  public boolean isConfirmed(Budget budget) {
    return later.mostLateShare() <= budget.maxLateShare() && budget.allowsLag(later);
  }
}
