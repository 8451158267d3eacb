package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.PolicyText;
import org.jspecify.annotations.Nullable;

/**
 * When the least statistic leaves a window, if every later commit has a greater one: a run leaves
 * as a whole, with the commit that makes the window large and long enough without it.
 *
 * @param commits after how many more commits with stream records, at least 1
 * @param notBeforeMillis not before a commit of this time; null if the next commit begins the span
 */
record Departure(long commits, @Nullable Long notBeforeMillis) {
  static Departure of(CommitWindow window, PolicyText policy) {
    long without = window.commits() - window.runs().get(0).commits();
    long more = Math.max(1, policy.lookbackCommits() - without);
    Long notBefore =
        window.runs().size() > 1
            ? Long.valueOf(
                window.runs().get(1).firstTimeMillis() + policy.lookbackSpan().toMillis())
            : null;
    return new Departure(more, notBefore);
  }

  /** {@code after 3 more commits with stream records, not before 2026-01-01T10:42:00Z}. */
  String text(PolicyText policy) {
    String span = TimeText.duration(policy.lookbackSpan());
    String time =
        policy.lookbackSpan().isZero()
            ? ""
            : notBeforeMillis == null
                ? ", at least " + span + " after the next"
                : ", not before " + TimeText.instant(notBeforeMillis);
    return "after "
        + (commits == 1 ? "1 more commit" : commits + " more commits")
        + " with later events"
        + time;
  }
}
