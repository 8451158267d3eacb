package dev.tidemark.cli.replay;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The policies and windows that are tried: estimates alone, the table's own first. */
final class Candidates {
  private static final int[] COMMITS = {1, 3, 6, 12, 24, 48};
  private static final int[] FEW_COMMITS = {1, 6, 24};
  private static final double[] QUANTILES = {0.0001, 0.001, 0.005, 0.01, 0.05};
  private static final int[] LATENESS_MINUTES = {0, 1, 2, 5, 10, 20, 30, 60, 120, 240, 480};
  private static final List<Duration> SPANS =
      List.of(Duration.ZERO, Duration.ofMinutes(30), Duration.ofHours(2));

  private Candidates() {}

  /** In granules of this kind; shorter windows before longer ones. */
  static List<PolicyText> around(PolicyText own, Granularity granularity) {
    Set<PolicyText> texts = new LinkedHashSet<>();
    if (!(own.policy() instanceof FinalizationPolicy.SourcePromise)) {
      texts.add(
          new PolicyText(own.policy(), own.lookbackCommits(), own.lookbackSpan(), granularity));
    }
    for (int commits : COMMITS) {
      for (Duration span : SPANS) {
        texts.add(new PolicyText(FinalizationPolicy.MIN, commits, span, granularity));
      }
    }
    for (int commits : FEW_COMMITS) {
      for (double quantile : QUANTILES) {
        FinalizationPolicy policy = FinalizationPolicy.quantile(quantile);
        texts.add(new PolicyText(policy, commits, Duration.ZERO, granularity));
        texts.add(new PolicyText(policy, commits, Duration.ofMinutes(30), granularity));
      }
      for (int minutes : LATENESS_MINUTES) {
        FinalizationPolicy policy = FinalizationPolicy.boundedLateness(Duration.ofMinutes(minutes));
        texts.add(new PolicyText(policy, commits, Duration.ZERO, granularity));
      }
    }
    return new ArrayList<>(texts);
  }
}
