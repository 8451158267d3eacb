package dev.tidemark.pinot.commit;

import java.io.Serializable;
import java.util.List;

/** Which partition of the stream a key is in, as the producer of the stream decides it. */
@FunctionalInterface
public interface KeyPartitioner extends Serializable {
  /**
   * The partition.
   *
   * @param primaryKey values of the primary key's columns, in their order, as the table's types
   *     have them in Java: Integer, Long, Float, Double, String, {@code byte[]}, BigDecimal
   * @param partitions how many partitions the stream has
   */
  int partition(List<Object> primaryKey, int partitions);
}
