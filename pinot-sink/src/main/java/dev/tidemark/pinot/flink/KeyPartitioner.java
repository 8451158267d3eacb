package dev.tidemark.pinot.flink;

import java.io.Serializable;
import org.apache.pinot.spi.utils.hash.MurmurHashFunctions;

/** Which partition of a stream a producer puts a key into. Thread-safe. */
@FunctionalInterface
public interface KeyPartitioner extends Serializable {
  /**
   * The partition of a key.
   *
   * @param key the serialized key
   * @param partitions how many partitions the stream has
   * @return from 0 to {@code partitions - 1}
   */
  int partition(byte[] key, int partitions);

  /** Kafka's own: murmur2 over the bytes, its sign bit cleared, modulo the partitions. */
  static KeyPartitioner murmur2() {
    return (key, partitions) ->
        (MurmurHashFunctions.murmurHash2(key) & Integer.MAX_VALUE) % partitions;
  }
}
