package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.schema.Column;
import dev.tidemark.pipeline.schema.TableSchema;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes row images: typed where the column's type is known, raw JSON values elsewhere. */
final class ImageDecoder {
  private final UnavailableValue unavailable;

  ImageDecoder(UnavailableValue unavailable) {
    this.unavailable = unavailable;
  }

  /**
   * An image of a row. A column of the schema, or of {@code sibling}, that is absent is
   * unavailable, as is one that holds the placeholder.
   *
   * @param sibling the other image of the change, if any
   */
  RowImage image(Fields json, @Nullable TableSchema schema, @Nullable Fields sibling)
      throws MalformedMessageException {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    Set<String> missing = new LinkedHashSet<>();
    for (Map.Entry<String, @Nullable Object> entry : json.object().entrySet()) {
      String name = entry.getKey();
      if (unavailable.is(entry.getValue())) {
        missing.add(name);
      } else {
        values.put(name, value(json.pathOf(name), entry.getValue(), column(schema, name)));
      }
    }
    addAbsent(missing, json, schema, sibling);
    return RowImage.of(values, missing);
  }

  private static void addAbsent(
      Set<String> missing, Fields json, @Nullable TableSchema schema, @Nullable Fields sibling) {
    if (schema != null) {
      for (Column column : schema.columns()) {
        if (!json.has(column.name())) {
          missing.add(column.name());
        }
      }
    }
    if (sibling != null) {
      for (String name : sibling.object().keySet()) {
        if (!json.has(name)) {
          missing.add(name);
        }
      }
    }
  }

  /** The columns of a key, which are all there. */
  static RowImage key(Fields json, @Nullable TableSchema schema) throws MalformedMessageException {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (Map.Entry<String, @Nullable Object> entry : json.object().entrySet()) {
      String name = entry.getKey();
      values.put(name, value(json.pathOf(name), entry.getValue(), column(schema, name)));
    }
    return RowImage.of(values);
  }

  private static @Nullable Column column(@Nullable TableSchema schema, String name) {
    return schema == null ? null : schema.find(name);
  }

  private static @Nullable Object value(String path, @Nullable Object json, @Nullable Column column)
      throws MalformedMessageException {
    return column == null
        ? ValueDecoder.untyped(json)
        : ValueDecoder.decode(path, json, column.type());
  }
}
