package dev.tidemark.pinot.flink.internal;

import java.io.Serializable;
import org.apache.flink.api.common.TaskInfo;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * Which partition of the stream a row that arrived at a subtask belongs to. Used by one thread per
 * instance.
 */
public interface RowRoute extends Serializable {
  /**
   * The partition; null on a table without partitions.
   *
   * @throws IllegalArgumentException if the row has no key that could be in a partition
   * @throws org.apache.flink.runtime.execution.SuppressRestartsException if another subtask owns
   *     the partition
   */
  @Nullable Integer partition(GenericRow row, TaskInfo task);

  /**
   * Called before segments are handed over.
   *
   * @throws org.apache.flink.runtime.execution.SuppressRestartsException if the rows cannot have
   *     come to the right partitions
   */
  default void beforeHandover(TaskInfo task) {}

  /** For tables without partitions. */
  static RowRoute unpartitioned() {
    return (row, task) -> null;
  }
}
