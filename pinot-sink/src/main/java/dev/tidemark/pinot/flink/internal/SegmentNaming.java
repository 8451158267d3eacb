package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.commit.CreationTimes;
import dev.tidemark.pinot.commit.TieRule;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.SegmentIdentity;
import dev.tidemark.pinot.segment.SegmentNames;
import dev.tidemark.pinot.segment.SegmentTable;
import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The identity of each segment. Names count from zero in every attempt, and differ between restores
 * by the epoch. The creation time of a segment is its place in the order in which buffers were
 * opened: milliseconds since the run began, so that it never repeats for a partition, whoever
 * builds it and after however many restores.
 */
public final class SegmentNaming implements Serializable {
  private static final long serialVersionUID = 1L;

  private final PinotTable table;
  private final SegmentNames names;
  private final TieRule tieRule;

  /**
   * @param prefix of the names; null for the table's own
   * @param tieRule who wins a tie on a table with upsert
   * @throws IllegalArgumentException if the table's name or the prefix cannot be in a name
   */
  public SegmentNaming(SegmentTable table, @Nullable String prefix, TieRule tieRule) {
    this.table = table.table();
    this.names = SegmentNames.of(table, prefix);
    this.tieRule = tieRule;
  }

  SegmentIdentity identity(Numbers numbers, Map<String, String> facts) {
    return new SegmentIdentity(name(numbers), creationTimeMillis(numbers), facts);
  }

  /**
   * What tells a segment from all others.
   *
   * @param run with its restore epoch
   * @param subtask that builds it
   * @param sequence counts within the subtask and epoch, from 0
   * @param partition whose keys it holds; null without partitions
   * @param openedAt when its buffer was opened, in milliseconds since the run began
   */
  record Numbers(Run run, int subtask, long sequence, @Nullable Integer partition, long openedAt) {}

  private String name(Numbers numbers) {
    Integer partition = numbers.partition();
    return partition == null
        ? names.offline(numbers.run(), numbers.subtask(), numbers.sequence())
        : names.realtime(numbers.run(), partition, numbers.subtask(), numbers.sequence());
  }

  private long creationTimeMillis(Numbers numbers) {
    Run run = numbers.run();
    if (table.type() == PinotTable.Type.OFFLINE) {
      return run.startMillis() + numbers.openedAt();
    }
    Run first = new Run(run.id(), run.startMillis(), 0);
    return CreationTimes.creationTimeMillis(tieRule, first, 0) + numbers.openedAt();
  }
}
