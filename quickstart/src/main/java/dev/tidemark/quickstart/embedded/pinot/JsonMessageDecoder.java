package dev.tidemark.quickstart.embedded.pinot;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.stream.StreamMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Reads a message that is one JSON object into a row. A message that is none is dropped by Pinot,
 * which logs it. Pinot makes it by its class name.
 */
public final class JsonMessageDecoder implements StreamMessageDecoder<byte[]> {
  private static final ObjectReader OBJECTS =
      new ObjectMapper()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .readerFor(new TypeReference<Map<String, @Nullable Object>>() {});

  private Set<String> fields = Set.of();

  @Override
  public void init(Map<String, String> properties, Set<String> fieldsToRead, String topic) {
    fields = fieldsToRead;
  }

  @Override
  public GenericRow decode(byte[] payload, GenericRow destination) {
    return decode(payload, 0, payload.length, destination);
  }

  @Override
  public GenericRow decode(byte[] payload, int offset, int length, GenericRow destination) {
    Map<String, @Nullable Object> object = read(payload, offset, length);
    for (String name : fields.isEmpty() ? object.keySet() : fields) {
      destination.putValue(name, arrayIfList(object.get(name)));
    }
    return destination;
  }

  private static Map<String, @Nullable Object> read(byte[] payload, int offset, int length) {
    try {
      return OBJECTS.readValue(payload, offset, length);
    } catch (IOException e) {
      byte[] message = Arrays.copyOfRange(payload, offset, offset + length);
      throw new IllegalArgumentException(
          "Cannot read as a JSON object: " + new String(message, StandardCharsets.UTF_8), e);
    }
  }

  // Pinot takes several values as an array.
  private static @Nullable Object arrayIfList(@Nullable Object value) {
    return value instanceof List<?> list ? list.toArray() : value;
  }
}
