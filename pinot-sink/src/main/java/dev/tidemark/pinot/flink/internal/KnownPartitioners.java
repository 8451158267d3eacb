package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.commit.KeyPartitioner;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pinot.spi.utils.hash.MurmurHashFunctions;

/**
 * Partitioners of keys of one column that streams are really written with, by a name for the
 * reader. One that cannot take a key throws.
 */
final class KnownPartitioners {
  private KnownPartitioners() {}

  static Map<String, KeyPartitioner> all() {
    Map<String, KeyPartitioner> all = new LinkedHashMap<>();
    all.put(
        "murmur2 of text",
        (key, n) -> murmur2(key.get(0).toString().getBytes(StandardCharsets.UTF_8), n));
    all.put(
        "murmur2 of an int",
        (key, n) ->
            murmur2(ByteBuffer.allocate(4).putInt(Math.toIntExact(number(key))).array(), n));
    all.put(
        "murmur2 of a long",
        (key, n) -> murmur2(ByteBuffer.allocate(8).putLong(number(key)).array(), n));
    all.put("murmur2 of bytes", (key, n) -> murmur2((byte[]) key.get(0), n));
    all.put("key % partitions", (key, n) -> Math.floorMod(number(key), n));
    all.put("hashCode % partitions", (key, n) -> Math.floorMod(key.get(0).hashCode(), n));
    return all;
  }

  private static int murmur2(byte[] key, int partitions) {
    return (MurmurHashFunctions.murmurHash2(key) & Integer.MAX_VALUE) % partitions;
  }

  private static long number(List<Object> key) {
    if (key.get(0) instanceof Long || key.get(0) instanceof Integer) {
      return ((Number) key.get(0)).longValue();
    }
    throw new IllegalArgumentException("not an integer: " + key);
  }
}
