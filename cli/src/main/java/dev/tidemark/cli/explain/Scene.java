package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.WriterState;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an explanation looks at.
 *
 * @param table the table's name
 * @param opinion the opinion that holds
 * @param recent the newest commits
 * @param writer whose hold it is; null if none is registered
 * @param last that writer's newest commit; null if none is kept
 */
record Scene(
    String table,
    Opinion opinion,
    Recent recent,
    @Nullable String writer,
    @Nullable CommitFacts last) {
  /** With whoever committed last: the hold is of that commit. */
  static Scene of(String table, Opinion opinion, Recent recent) {
    CommitFacts last =
        recent.newest(
            commit -> {
              String writer = commit.writer();
              return writer != null && !commit.isForeign() && opinion.writers().containsKey(writer);
            });
    return last == null
        ? ofLeast(table, opinion, recent)
        : new Scene(table, opinion, recent, last.writer(), last);
  }

  /** With the writer that has come least far, which the table waits for. */
  static Scene ofLeast(String table, Opinion opinion, Recent recent) {
    String least = null;
    long leastMillis = Long.MAX_VALUE;
    for (Map.Entry<String, WriterState> entry : opinion.writers().entrySet()) {
      Long own = entry.getValue().watermarkMillis();
      long millis = own == null ? Long.MIN_VALUE : own;
      if (least == null || millis < leastMillis) {
        least = entry.getKey();
        leastMillis = millis;
      }
    }
    return new Scene(table, opinion, recent, least, least == null ? null : recent.newestOf(least));
  }

  /** Other writers that have come no further than the table. */
  List<String> alsoBehind() {
    Long watermark = opinion.watermarkMillis();
    List<String> names = new ArrayList<>();
    opinion
        .writers()
        .forEach(
            (name, state) -> {
              Long own = state.watermarkMillis();
              boolean behind = own == null || (watermark != null && own <= watermark);
              if (behind && !name.equals(writer)) {
                names.add(name);
              }
            });
    return names;
  }

  /** Of whoever committed last; the other writers may have another. */
  PolicyText policy() {
    return opinion.policy();
  }

  /** What that writer's own window holds; writers of one table may differ. */
  FinalizationPolicy statistic() {
    WriterState state = state();
    return state == null ? policy().policy() : FinalizationPolicy.parse(state.statistic());
  }

  /** How far that writer itself has come; the table's watermark if none is registered. */
  @Nullable Long ownWatermarkMillis() {
    WriterState state = state();
    return state == null ? opinion.watermarkMillis() : state.watermarkMillis();
  }

  /** Since when the watermark stands where it stands. */
  Explanation.@Nullable Since standsSince() {
    return recent.standsSince(opinion.watermarkMillis());
  }

  /** Whether that writer joined behind what other writers had already made final. */
  boolean isBehindTheTable() {
    Long own = ownWatermarkMillis();
    Long table = opinion.watermarkMillis();
    return own != null && table != null && own < table;
  }

  Granularity granularity() {
    return opinion.policy().granularity();
  }

  /** What is known of that writer; null if none is registered. */
  @Nullable WriterState state() {
    return writer == null ? null : opinion.writers().get(writer);
  }

  String writerText() {
    return writer == null ? "no registered writer" : "writer " + writer;
  }

  /** A granule as people name it, in UTC. */
  String granule(long startMillis) {
    return TimeText.granule(startMillis, granularity(), ZoneOffset.UTC);
  }

  /** The hold of the truth; its caller knows that there is one. */
  Hold hold() {
    Hold hold = opinion.hold();
    if (hold == null) {
      throw new IllegalStateException("the watermark of " + table + " is not held");
    }
    return hold;
  }
}
