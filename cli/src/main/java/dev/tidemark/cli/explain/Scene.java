package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.TimeText;
import dev.tidemark.cli.history.CommitFacts;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.watermark.Hold;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.PolicyText;
import dev.tidemark.finalization.watermark.WriterState;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * What an explanation looks at.
 *
 * @param table the table's name
 * @param opinion the opinion that holds
 * @param recent the newest commits
 * @param last the newest commit that a writer made with an opinion; null if none is kept
 */
record Scene(String table, Opinion opinion, Recent recent, @Nullable CommitFacts last) {
  static Scene of(String table, Opinion opinion, Recent recent) {
    CommitFacts last =
        recent.newest(
            commit -> {
              String writer = commit.writer();
              return writer != null && !commit.isForeign() && opinion.writers().containsKey(writer);
            });
    return new Scene(table, opinion, recent, last);
  }

  PolicyText policy() {
    return opinion.policy();
  }

  Granularity granularity() {
    return opinion.policy().granularity();
  }

  /** Whose hold it is: who committed last, else the one that has come least far; null if none. */
  @Nullable String writer() {
    if (last != null) {
      return last.writer();
    }
    String least = null;
    long leastMillis = Long.MAX_VALUE;
    for (var entry : opinion.writers().entrySet()) {
      Long own = entry.getValue().watermarkMillis();
      long millis = own == null ? Long.MIN_VALUE : own;
      if (least == null || millis < leastMillis) {
        least = entry.getKey();
        leastMillis = millis;
      }
    }
    return least;
  }

  /** What is known of that writer; null if none is registered. */
  @Nullable WriterState state() {
    String writer = writer();
    return writer == null ? null : opinion.writers().get(writer);
  }

  String writerText() {
    String writer = writer();
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
