package dev.tidemark.cli.replay;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.watermark.CommitWindow;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.WriterState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a table still knows of its past: its commits with an opinion, oldest first, and what is
 * missing between them. The same for every store. Immutable.
 *
 * @param commits oldest first
 * @param gaps what history cannot tell
 */
public record StoredHistory(List<HistoryCommit> commits, Gaps gaps) {
  private static final String DIGEST = EventTimeProperties.PREFIX + "digest";
  private static final String CARRIED_OVER = FinalizationProperties.PREFIX + "carried-over";

  /**
   * What is not there.
   *
   * @param isWhole whether history reaches back to the first commit with an opinion
   * @param foreign commits without an opinion: compaction, other engines
   * @param foreignRows rows that those added, as far as they say
   * @param withoutFacts commits of a writer without facts of event time
   * @param withoutDigest commits with facts whose digest did not fit
   * @param abridged commits whose coverage lists the laggards alone
   * @param carriedOver commits whose opinion was taken over from another table
   */
  public record Gaps(
      boolean isWhole,
      int foreign,
      long foreignRows,
      int withoutFacts,
      int withoutDigest,
      int abridged,
      int carriedOver) {}

  public StoredHistory {
    commits = List.copyOf(commits);
  }

  /**
   * Reads a history.
   *
   * @param newestFirst as a store gives it; read to its end
   * @throws IllegalArgumentException if a commit's properties are of a newer format
   */
  public static StoredHistory read(Stream<RecentCommit> newestFirst) {
    List<RecentCommit> all = new ArrayList<>(newestFirst.toList());
    Collections.reverse(all);
    return new Reading().read(all);
  }

  /** Whether there is an opinion at all. */
  public boolean isEmpty() {
    return commits.isEmpty();
  }

  /** Whether any commit has facts that a policy could be run over. */
  public boolean hasFacts() {
    return commits.stream().anyMatch(c -> c.isOfWriter() && c.toldNow().facts().hasStreamRecords());
  }

  /** Whether any commit tells where its source stood. */
  boolean hasCoverage() {
    return commits.stream().anyMatch(c -> c.isOfWriter() && c.toldNow().coverage() != null);
  }

  /** The newest opinion. */
  public Opinion newest() {
    return commits.get(commits.size() - 1).after();
  }

  /** Commits of writers. */
  public long writerCommits() {
    return commits.stream().filter(HistoryCommit::isOfWriter).count();
  }

  private static final class Reading {
    private final List<HistoryCommit> commits = new ArrayList<>();
    private @Nullable Opinion last;
    private @Nullable Long highest;
    private int foreign;
    private long foreignRows;
    private int withoutFacts;
    private int withoutDigest;
    private int abridged;
    private int carriedOver;

    StoredHistory read(List<RecentCommit> oldestFirst) {
      Long parent = null;
      for (RecentCommit commit : oldestFirst) {
        add(commit, parent);
        parent = commit.timestampMillis();
      }
      return new StoredHistory(
          commits,
          new Gaps(
              !commits.isEmpty() && isFirstEver(commits.get(0)),
              foreign,
              foreignRows,
              withoutFacts,
              withoutDigest,
              abridged,
              carriedOver));
    }

    private void add(RecentCommit commit, @Nullable Long parent) {
      Map<String, String> properties = commit.properties();
      Optional<Opinion> opinion = FinalizationProperties.readOpinion(properties);
      if (opinion.isEmpty()) {
        foreign++;
        foreignRows += Math.max(0, rows(properties, "added-records"));
        return;
      }
      Opinion after = opinion.get();
      after.writers().values().forEach(state -> raise(state.highestMillis()));
      carriedOver += properties.containsKey(CARRIED_OVER) ? 1 : 0;
      commits.add(
          new HistoryCommit(
              new HistoryCommit.Made(commit.id(), commit.timestampMillis(), parent),
              told(properties),
              last,
              after));
      last = after;
    }

    private HistoryCommit.@Nullable Told told(Map<String, String> properties) {
      String writer = properties.get(FinalizationProperties.WRITER);
      if (writer == null) {
        return null;
      }
      EventTimeFacts facts = EventTimeProperties.read(properties).orElse(null);
      Coverage coverage = FinalizationProperties.readCoverage(properties).orElse(null);
      withoutFacts += facts == null ? 1 : 0;
      boolean counted = facts != null && facts.hasStreamRecords();
      withoutDigest += counted && !properties.containsKey(DIGEST) ? 1 : 0;
      abridged += coverage != null && coverage.isAbridged() ? 1 : 0;
      if (counted) {
        raise(Objects.requireNonNull(facts).times().maxMillis());
      }
      return new HistoryCommit.Told(
          writer,
          facts == null ? EventTimeFacts.EMPTY : facts,
          coverage,
          FinalizationProperties.readLate(properties),
          highest);
    }

    private void raise(@Nullable Long millis) {
      if (millis != null) {
        highest = highest == null ? millis : Long.valueOf(Math.max(highest, millis));
      }
    }

    /** A compaction adds what it deletes. */
    private static long rows(Map<String, String> properties, String key) {
      try {
        return Long.parseLong(properties.getOrDefault(key, "0"))
            - Long.parseLong(properties.getOrDefault("deleted-records", "0"));
      } catch (NumberFormatException e) {
        return 0;
      }
    }

    /** The first opinion of a table knows one writer that has at most this commit behind it. */
    private static boolean isFirstEver(HistoryCommit first) {
      boolean counted = first.isOfWriter() && first.toldNow().facts().hasStreamRecords();
      return first.after().epoch() == 0
          && first.after().writers().size() == 1
          && first.after().writers().values().stream().allMatch(state -> isNew(state, first))
          && first.after().reopened().granules().isEmpty()
          && (counted || first.after().watermarkMillis() == null);
    }

    private static boolean isNew(WriterState state, HistoryCommit first) {
      CommitWindow window = state.window();
      Long highest = state.highestMillis();
      if (!first.isOfWriter() || !first.toldNow().facts().hasStreamRecords()) {
        return window.total() == 0 && highest == null;
      }
      return window.total() == 1
          && highest != null
          && highest == first.toldNow().facts().times().maxMillis();
    }
  }
}
