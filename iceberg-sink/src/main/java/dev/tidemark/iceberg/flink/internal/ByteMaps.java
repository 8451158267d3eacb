package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.finalization.codec.ByteReader;
import dev.tidemark.finalization.codec.ByteWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Maps from names to bytes, as accumulators travel. */
final class ByteMaps {
  private ByteMaps() {}

  static void write(ByteWriter out, Map<String, byte[]> map) {
    out.writeUnsigned(map.size());
    map.forEach((name, bytes) -> out.writeString(name).writeBytes(bytes));
  }

  static Map<String, byte[]> read(ByteReader in) {
    int size = in.readCount();
    Map<String, byte[]> map = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      map.put(in.readString(), in.readBytes());
    }
    return map;
  }
}
