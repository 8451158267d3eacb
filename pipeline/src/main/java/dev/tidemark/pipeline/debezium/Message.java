package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.json.JsonReader;
import dev.tidemark.pipeline.json.JsonSlice;
import dev.tidemark.pipeline.json.MalformedJsonException;
import dev.tidemark.pipeline.schema.TableSchema;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key, a value or a header, out of its {@code {schema, payload}} wrapping if it has one. Told
 * apart for each message: wrapped is an object of exactly these two fields whose schema is an
 * object or null, so a plain key of two columns called schema and payload stays plain.
 *
 * @param path where the payload lies, for errors
 * @param schema null without wrapping
 */
record Message(String path, @Nullable Object payload, @Nullable TableSchema schema) {
  private static final String SCHEMA = "schema";
  private static final String PAYLOAD = "payload";

  static Message read(String path, byte[] utf8, SchemaCache schemas)
      throws MalformedMessageException {
    try {
      Object document = JsonReader.read(utf8, SCHEMA);
      if (document instanceof Map<?, ?> object && object.containsKey(SCHEMA)) {
        return ofObjectWithSchema(path, object, utf8, schemas);
      }
      return new Message(path, document, null);
    } catch (MalformedJsonException e) {
      throw malformed(path, e);
    }
  }

  private static Message ofObjectWithSchema(
      String path, Map<?, ?> object, byte[] utf8, SchemaCache schemas)
      throws MalformedMessageException, MalformedJsonException {
    Object schema = object.get(SCHEMA);
    boolean wrapped =
        object.size() == 2
            && object.containsKey(PAYLOAD)
            && (schema == null || schema instanceof JsonSlice);
    if (!wrapped) {
      return new Message(path, JsonReader.read(utf8), null);
    }
    TableSchema table =
        schema instanceof JsonSlice slice ? schemas.schema(path + "." + SCHEMA, slice) : null;
    return new Message(path + "." + PAYLOAD, object.get(PAYLOAD), table);
  }

  static MalformedMessageException malformed(String path, MalformedJsonException e) {
    String field = e.path().isEmpty() ? path : path + "." + e.path();
    return new MalformedMessageException(field + ": " + e.getMessage());
  }
}
