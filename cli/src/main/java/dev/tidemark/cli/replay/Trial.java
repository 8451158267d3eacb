package dev.tidemark.cli.replay;

import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.WriterState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is tried on a history.
 *
 * @param text policy, window and granule for every writer; null for what each commit itself says
 * @param idleTimeout as {@link FinalizationConfig#idleTimeout}: no table keeps it; null for none
 */
public record Trial(@Nullable PolicyText text, @Nullable Duration idleTimeout) {
  /** What the table itself did. */
  public static final Trial AS_PUBLISHED = new Trial(null, null);

  /** One policy for all writers. */
  public static Trial of(PolicyText text) {
    return new Trial(text, null);
  }

  PolicyText textFor(Opinion published) {
    return text == null ? published.policy() : text;
  }

  /** The configuration of the writer of a commit, as far as its history tells it. */
  FinalizationConfig config(HistoryCommit commit, FinalizationConfig.IdleRule idleRule) {
    HistoryCommit.Told told = commit.toldNow();
    boolean coverage =
        told.coverage() != null
            || (text == null && commit.isHeldBy(Hold.Reason.SOURCE_BEHIND))
            || textFor(commit.after()).policy() instanceof FinalizationPolicy.SourcePromise;
    FinalizationConfig.Builder config =
        builder(told.writer(), textFor(commit.after()), commit).idleRule(idleRule);
    if (coverage) {
      config.coverageExpected();
    }
    if (idleTimeout != null && coverage) {
      config.idleTimeout(idleTimeout);
    }
    return config.build();
  }

  /** The configuration of a writer that registered without rows of its own. */
  FinalizationConfig registered(String writer, HistoryCommit commit) {
    PolicyText own = textFor(commit.after());
    WriterState state = commit.after().writers().get(writer);
    String statistic = text == null && state != null ? state.statistic() : "";
    FinalizationPolicy policy =
        statistic.isEmpty() ? own.policy() : FinalizationPolicy.parse(statistic);
    PolicyText joined =
        new PolicyText(policy, own.lookbackCommits(), own.lookbackSpan(), own.granularity());
    FinalizationConfig.Builder config = builder(writer, joined, commit);
    if (policy instanceof FinalizationPolicy.SourcePromise) {
      config.coverageExpected();
    }
    return config.build();
  }

  private static FinalizationConfig.Builder builder(
      String writer, PolicyText text, HistoryCommit commit) {
    FinalizationConfig.Builder config =
        FinalizationConfig.forWriter(writer)
            .policy(text.policy())
            .lookback(text.lookbackCommits(), text.lookbackSpan())
            .granularity(text.granularity());
    Long from = commit.after().watermark().fromMillis();
    if (from != null) {
      config.readFrom(Instant.ofEpochMilli(from));
    }
    Opinion before = commit.before();
    boolean pendingBefore = before != null && before.bootstrapPending();
    if (commit.after().bootstrapPending() && !pendingBefore) {
      config.bootstrapPending();
    }
    return config;
  }
}
