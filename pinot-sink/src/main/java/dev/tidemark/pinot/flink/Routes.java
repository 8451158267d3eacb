package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.commit.KeyPartitioner;
import dev.tidemark.pinot.commit.KeySamples;
import dev.tidemark.pinot.commit.PartitionProof;
import dev.tidemark.pinot.flink.internal.RowRoute;
import dev.tidemark.pinot.segment.SegmentTable;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/** Which partition rows go to, and how that is proved. */
final class Routes {
  private Routes() {}

  /** The subtask's number: the program has partitioned in front of the sink. */
  static RowRoute bySubtask() {
    return (row, task) -> task.getIndexOfThisSubtask();
  }

  /** The partitioning's own answer, at the subtask that owns it and at no other. */
  static RowRoute byKey(PinotPartitioning partitioning) {
    return (row, task) -> {
      int partition = partitioning.partition(row);
      int owner = partition % task.getNumberOfParallelSubtasks();
      if (owner != task.getIndexOfThisSubtask()) {
        throw new SuppressRestartsException(
            new IllegalStateException(
                "Cannot write a row of partition "
                    + partition
                    + " in subtask "
                    + task.getIndexOfThisSubtask()
                    + " (expected: subtask "
                    + owner
                    + " of "
                    + task.getNumberOfParallelSubtasks()
                    + "; put PinotPartitioning.partitionByPrimaryKey in front of the sink)"));
      }
      return partition;
    };
  }

  /**
   * A proof by keys of the table.
   *
   * @throws IllegalArgumentException if the message key is not made of primary key columns, so that
   *     a table cannot prove it
   */
  static PartitionProof proof(
      PinotPartitioning partitioning,
      SegmentTable table,
      KeySamples samples,
      boolean acceptsUnproven) {
    List<String> primaryKey = table.primaryKeyColumns();
    int[] positions = partitioning.keyColumns().stream().mapToInt(primaryKey::indexOf).toArray();
    if (IntStream.of(positions).anyMatch(position -> position < 0)) {
      throw new IllegalArgumentException(
          "Cannot prove the partitioning of table "
              + table.table()
              + " by columns "
              + partitioning.keyColumns()
              + " (expected: columns of its primary key "
              + primaryKey
              + ", else one key could be in two partitions)");
    }
    KeyPartitioner partitioner = partitioning.partitioner();
    KeyPartitioner byPrimaryKey =
        (key, partitions) ->
            partitioner.partition(IntStream.of(positions).mapToObj(key::get).toList(), partitions);
    return new PartitionProof(byPrimaryKey, samples, acceptsUnproven);
  }
}
