package dev.tidemark.pinot;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.sensor.FinalityReader;
import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.PinotUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;

/**
 * Reads the finality of one Pinot table from its controller: the names of its segments, the custom
 * maps of a few of them, and the table config. Needs no Flink. Used by one thread.
 *
 * <p>The five answers, where a table has no ancestry: {@code REVOKED} means that the carriers that
 * are seen contradict the mirror: the commit that raised the published watermark is gone, or
 * segments of the newest run are, and neither retention nor a merge explains it. A run that was
 * wound back to an older savepoint is revoked until it has caught up; what is gone for good is
 * accepted with {@code PinotFinalizationAdmin.reset}. What retention may have taken is judged by
 * the times that commits record and by the table's retention; a task that merges or purges segments
 * explains whatever is missing. On a REALTIME table a backfill speaks only for what it loaded: past
 * its watermark the answer is {@code UNKNOWN}, since the segments that Pinot itself consumes carry
 * no facts, unless the opinion is carried over from the Iceberg table that the same job fills.
 */
public final class PinotFinality implements FinalityReader {
  private final PinotTable table;
  private final ControllerClient controller;
  private final CommitSearch search;
  private final Clock clock;

  private PinotFinality(PinotTable table, ControllerClient controller, Clock clock) {
    this.table = Objects.requireNonNull(table, "table is null");
    this.controller = Objects.requireNonNull(controller, "controller is null");
    this.clock = Objects.requireNonNull(clock, "clock is null");
    this.search = new CommitSearch(table, controller);
  }

  /** The finality of a table. */
  public static PinotFinality of(PinotTable table, ControllerSettings controller) {
    return of(table, ControllerClient.of(controller), Clock.systemUTC());
  }

  /**
   * The finality of a table.
   *
   * @param clock tells the age of an answer, and what retention may have taken
   */
  public static PinotFinality of(PinotTable table, ControllerClient controller, Clock clock) {
    return new PinotFinality(table, controller, clock);
  }

  @Override
  public TableFinality read() {
    try {
      return finality(PinotTruth.read(table, controller, search, clock.millis()));
    } catch (PinotUnavailableException e) {
      throw new UncheckedIOException(
          "Cannot read the finality of " + table, new IOException(e.getMessage(), e));
    }
  }

  private TableFinality finality(PinotTruth truth) {
    if (truth.opinion() == null && !truth.isRevoked()) {
      return TableFinality.unknown();
    }
    RecentCommit newest = truth.newest().orElse(null);
    long age = newest == null ? 0 : Math.max(0, clock.millis() - newest.timestampMillis());
    return new TableFinality(
        truth.opinion(),
        truth.isRevoked(),
        newest == null ? null : newest.id(),
        ForeignRows.NONE,
        Duration.ofMillis(age),
        table.type() == PinotTable.Type.REALTIME && !truth.isCarriedOver());
  }
}
