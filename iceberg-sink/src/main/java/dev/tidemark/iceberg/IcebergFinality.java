package dev.tidemark.iceberg;

import dev.tidemark.finalization.late.ForeignRows;
import dev.tidemark.finalization.sensor.FinalityReader;
import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;

/**
 * Reads the finality of one Iceberg table: refreshes the metadata, walks from the branch head to
 * the first snapshot that carries an opinion, and compares the mirror. Needs iceberg-core alone.
 * Reads manifests only where a foreign commit lies on the way. As thread-safe as the table handle.
 */
public final class IcebergFinality implements FinalityReader {
  private final Table table;
  private final String branch;
  private final Clock clock;

  private IcebergFinality(Table table, String branch, Clock clock) {
    this.table = Objects.requireNonNull(table, "table is null");
    this.branch = Objects.requireNonNull(branch, "branch is null");
    this.clock = Objects.requireNonNull(clock, "clock is null");
  }

  /** The finality of the main branch. */
  public static IcebergFinality of(Table table) {
    return of(table, SnapshotRef.MAIN_BRANCH, Clock.systemUTC());
  }

  /**
   * The finality of a branch, whose truth is on its own ancestry.
   *
   * @param clock tells the age of an answer
   */
  public static IcebergFinality of(Table table, String branch, Clock clock) {
    return new IcebergFinality(table, branch, clock);
  }

  @Override
  public TableFinality read() {
    table.refresh();
    TableTruth truth = TableTruth.read(table, branch);
    Snapshot carrier = truth.carrier();
    if (truth.opinion() == null && !truth.isRevoked()) {
      return TableFinality.unknown();
    }
    ForeignAppends foreign = ForeignAppends.since(table, truth);
    Long shown = truth.mirror().snapshotId();
    Long time =
        carrier == null
            ? truth.mirror().snapshotTimeMillis()
            : Long.valueOf(carrier.timestampMillis());
    return new TableFinality(
        truth.opinion(),
        truth.isRevoked(),
        carrier != null
            ? Long.toString(carrier.snapshotId())
            : shown == null ? null : shown.toString(),
        truth.isRevoked() ? ForeignRows.NONE : foreign.rows(),
        Duration.ofMillis(time == null ? 0 : Math.max(0, clock.millis() - time)));
  }
}
