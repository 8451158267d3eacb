package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.controller.ControllerClient;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * Where keys and the partitions they are really in come from: the stream itself, which is best, or
 * the table's own segments. A job graph carries it.
 */
@FunctionalInterface
public interface KeySamples extends Serializable {
  /**
   * Some keys of each partition.
   *
   * @param table the table and its controller
   * @param perPartition about how many keys of each
   * @return partition to keys, each with the primary key's values in order; empty lists where there
   *     is nothing to see
   */
  Map<Integer, List<List<Object>>> sample(
      TableShape table, ControllerClient controller, int perPartition);

  /** From the segments that Pinot itself consumed, by SQL. */
  static KeySamples fromTable() {
    return new SqlKeySamples();
  }
}
