package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.json.JsonReader;
import dev.tidemark.pipeline.json.JsonSlice;
import dev.tidemark.pipeline.json.MalformedJsonException;
import dev.tidemark.pipeline.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the schemas that came with messages by their bytes, since each message repeats some 6
 * KB of it. Bounded: the least recently used goes first. One thread.
 */
final class SchemaCache {
  /** Reads a schema that is not yet known. */
  interface Parser {
    @Nullable TableSchema parse(Fields schema) throws MalformedMessageException;
  }

  private static final int CAPACITY = 256;

  private final Parser parser;
  private final Map<ByteBuffer, Optional<TableSchema>> schemas = new Lru<>();

  SchemaCache(Parser parser) {
    this.parser = parser;
  }

  @Nullable TableSchema schema(String path, JsonSlice text) throws MalformedMessageException {
    Optional<TableSchema> known = schemas.get(text.utf8());
    if (known == null) {
      byte[] bytes = text.toBytes();
      known = Optional.ofNullable(parse(path, bytes));
      schemas.put(ByteBuffer.wrap(bytes), known);
    }
    return known.orElse(null);
  }

  private @Nullable TableSchema parse(String path, byte[] bytes) throws MalformedMessageException {
    try {
      return parser.parse(Fields.of(path, JsonReader.read(bytes)));
    } catch (MalformedJsonException e) {
      throw Message.malformed(path, e);
    }
  }

  private static final class Lru<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    Lru() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > CAPACITY;
    }
  }
}
