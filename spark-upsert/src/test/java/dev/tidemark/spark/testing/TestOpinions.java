package dev.tidemark.spark.testing;

import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.WriterState;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Opinions of ledgers, hourly. */
public final class TestOpinions {
  private TestOpinions() {}

  /** From 10:00 on the first of January 2026 up to a time of that day, {@code HH:mm}. */
  public static Opinion upTo(String time) {
    return of("10:00", time, null);
  }

  public static Opinion of(String from, String upTo, @Nullable Hold hold) {
    return between(Instant.ofEpochMilli(millis(from)), Instant.ofEpochMilli(millis(upTo)), hold);
  }

  /** From one time up to another, of whatever days. */
  public static Opinion between(Instant from, Instant upTo, @Nullable Hold hold) {
    Evidence evidence = Evidence.ESTIMATE;
    long watermark = upTo.toEpochMilli();
    return new Opinion(
        new FinalizationWatermark(from.toEpochMilli(), watermark, evidence),
        PolicyText.parse("min;1;PT0S;PT1H"),
        hold,
        0,
        false,
        new TreeMap<>(
            Map.of(
                "ledger-job",
                new WriterState(watermark, evidence, null, "min", CommitWindow.EMPTY))),
        ReopenedGranules.NONE);
  }

  public static long millis(String time) {
    return Instant.parse("2026-01-01T" + time + ":00Z").toEpochMilli();
  }
}
