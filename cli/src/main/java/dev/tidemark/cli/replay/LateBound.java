package dev.tidemark.cli.replay;

import java.util.List;

/**
 * How great the share of late rows may be behind what was seen, with 95 % confidence, one-sided.
 * Late rows come together (one outage, many late rows), so rows are no independent trials: commits
 * are put into {@value #BLOCKS} blocks of consecutive ones, and the share is a ratio estimate over
 * blocks (W. Cochran, "Sampling Techniques", 1977, 6.4; batch means: A. Law, "Simulation Modeling
 * and Analysis", 9.5.3):
 *
 * <pre>
 * p = Σ late / Σ rows;  se = √(B / (B − 1) · Σ (late_b − p · rows_b)²) / Σ rows
 * bound = min(1, max(p' + t · se, 3 / Σ rows))
 * </pre>
 *
 * where t = {@value #T} is Student's for B − 1 degrees of freedom, p' the share with all rows that
 * the sketches leave in doubt, and 3 / n the rule of three for events that were never seen (J.
 * Hanley, A. Lippman-Hand, JAMA 249, 1983).
 */
final class LateBound {
  static final int BLOCKS = 10;
  static final double RULE_OF_THREE = 3;
  private static final double T = 1.833;

  private LateBound() {}

  /** The bound over these steps, all of writers; 1 without rows. */
  static double of(List<Step> steps, Figures figures) {
    if (figures.rows() == 0) {
      return 1;
    }
    double share = figures.lateShare();
    double squares = 0;
    for (int block = 0; block < BLOCKS; block++) {
      int first = block * steps.size() / BLOCKS;
      int end = (block + 1) * steps.size() / BLOCKS;
      double rest = 0;
      for (Step step : steps.subList(first, end)) {
        long rows = step.commit().toldNow().facts().times().count();
        rest += LateJudge.late(step.commit(), step.base()).estimate() - share * rows;
      }
      squares += rest * rest;
    }
    double error = Math.sqrt(squares * BLOCKS / (BLOCKS - 1)) / figures.rows();
    double bound = Math.max(figures.mostLateShare() + T * error, RULE_OF_THREE / figures.rows());
    return Math.min(1, bound);
  }
}
