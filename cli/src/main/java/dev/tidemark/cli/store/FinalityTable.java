package dev.tidemark.cli.store;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table whose finality can be asked, whichever store keeps it. Every call may throw {@link
 * StoreUnreachableException}. Used by one thread at a time.
 */
public interface FinalityTable {
  /** The name as it was given: the catalog, then the table. */
  String name();

  /** What the table says now: one metadata read. */
  TableFinality finality();

  /**
   * The commits that the table keeps, newest first, as of one read, in Iceberg that of the last
   * {@link #finality()}; those of others, without facts, are among them where the store has an
   * ancestry. Read lazily: Pinot reads one carrier at a time.
   */
  Stream<RecentCommit> commits();

  /** Why the published watermark is revoked, for people, as of the same; empty if it is not. */
  List<String> revocation();

  /**
   * Takes a writer that will not come back out of the count.
   *
   * @throws IllegalArgumentException if no such writer is registered
   * @throws IllegalStateException if the table carries no opinion
   */
  void retire(String writer);

  /**
   * Says that the bootstrap is complete: every event at or after this time is in the table.
   *
   * @throws IllegalStateException if the table carries no opinion
   */
  void completeBootstrap(Instant from);

  /**
   * Says that what is gone is meant to be gone: what the table holds counts again, in a new epoch.
   *
   * @throws IllegalStateException if the table carries no opinion
   */
  void reset();

  /**
   * Tags the commit at which a span of event time became final, so that consumers read it as it was
   * then; nothing happens if it is tagged so already.
   *
   * @param name the tag's
   * @param startMillis inclusive, epoch milliseconds UTC
   * @param endMillis exclusive
   * @param keep how long after that commit; null for what the table is configured to
   * @throws IllegalArgumentException if the store has no tags, or what is to be kept is over
   * @throws IllegalStateException if that commit has expired, or the name means something else
   */
  FinalTag tag(String name, long startMillis, long endMillis, @Nullable Duration keep);
}
