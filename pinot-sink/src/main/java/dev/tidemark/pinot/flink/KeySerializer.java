package dev.tidemark.pinot.flink;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes the bytes of a stream's message key from the values of a row's key columns: exactly the
 * bytes that the producer's serializer made, since those are what its partitioner hashes. Thread
 * safe.
 */
@FunctionalInterface
public interface KeySerializer extends Serializable {
  /**
   * The bytes of the key.
   *
   * @param key the values of the key columns, in their order
   * @throws IllegalArgumentException if the values are not what this serializer is for
   */
  byte[] serialize(List<?> key);

  /** One value of text, in UTF-8: Kafka's {@code StringSerializer}. */
  static KeySerializer string() {
    return key -> Keys.text(Keys.single(key)).getBytes(StandardCharsets.UTF_8);
  }

  /** One number in four bytes, big-endian: Kafka's {@code IntegerSerializer}. */
  static KeySerializer int32() {
    return key ->
        ByteBuffer.allocate(4).putInt(Math.toIntExact(Keys.number(Keys.single(key)))).array();
  }

  /** One number in eight bytes, big-endian: Kafka's {@code LongSerializer}. */
  static KeySerializer int64() {
    return key -> ByteBuffer.allocate(8).putLong(Keys.number(Keys.single(key))).array();
  }

  /** One value of bytes, as it is: Kafka's {@code ByteArraySerializer}. */
  static KeySerializer bytes() {
    return key -> {
      if (Keys.single(key) instanceof byte[] bytes) {
        return bytes;
      }
      throw Keys.invalid(key, "bytes");
    };
  }

  /** Several values as one text with a separator between them. */
  static KeySerializer joined(String separator) {
    return key ->
        key.stream()
            .map(Keys::text)
            .collect(Collectors.joining(separator))
            .getBytes(StandardCharsets.UTF_8);
  }

  /** Several values, each by its own serializer, one behind the other. */
  static KeySerializer composite(KeySerializer... parts) {
    List<KeySerializer> serializers = Stream.of(parts).toList();
    return key -> {
      if (key.size() != serializers.size()) {
        throw Keys.invalid(key, serializers.size() + " values");
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (int i = 0; i < serializers.size(); i++) {
        out.writeBytes(serializers.get(i).serialize(key.subList(i, i + 1)));
      }
      return out.toByteArray();
    };
  }
}
