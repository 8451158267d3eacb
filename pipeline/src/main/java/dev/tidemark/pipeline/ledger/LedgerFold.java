package dev.tidemark.pipeline.ledger;

import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.event.Operation;
import dev.tidemark.pipeline.event.RowImage;
import dev.tidemark.pipeline.json.JsonReader;
import dev.tidemark.pipeline.json.MalformedJsonException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Folds the rows of a ledger to the last state of each key: what the source table holds at the
 * place where the ledger ends. Whole in memory.
 *
 * <p>Rows count in the order of {@code cdc_ord}, whatever the order they come in; a change
 * delivered again changes nothing. INSERT and SNAPSHOT set the row; UPDATE sets the columns of its
 * after image and leaves the others as they were (a partial image); DELETE removes the row;
 * TRUNCATE removes all rows. A partial UPDATE of a key that the ledger never saw starts from its
 * own before image. The INSERT of a changed primary key starts from the row that its DELETE ended.
 */
public final class LedgerFold {
  private final Map<List<Object>, FoldedRow> rows = new LinkedHashMap<>();

  /** What rows held when their key was changed, by the place of the INSERT that follows. */
  private final Map<String, Map<String, @Nullable Object>> moved = new HashMap<>();

  private LedgerFold() {}

  /**
   * The state of each key after all rows.
   *
   * @throws IllegalArgumentException when a row has no key (a table without a primary key cannot be
   *     folded), or an image that is no JSON object
   */
  public static Map<List<Object>, FoldedRow> fold(Iterable<LedgerRow> ledger) {
    List<LedgerRow> ordered = new ArrayList<>();
    ledger.forEach(ordered::add);
    ordered.sort(Comparator.comparing(LedgerRow::cdcOrd));
    LedgerFold fold = new LedgerFold();
    ordered.forEach(fold::apply);
    return fold.rows;
  }

  private void apply(LedgerRow row) {
    if (row.operation() == Operation.TRUNCATE) {
      rows.clear();
      return;
    }
    List<Object> key = row.key();
    if (key == null) {
      throw new IllegalArgumentException(
          "Cannot fold the change %s: it has no key (expected: a table with a primary key)"
              .formatted(row.cdcOrd()));
    }
    if (row.operation() == Operation.DELETE) {
      delete(row, rows.remove(key));
    } else {
      rows.put(key, new FoldedRow(image(row, rows.get(key)), row.cdcOrd()));
    }
  }

  private void delete(LedgerRow row, @Nullable FoldedRow current) {
    String next = ChangeOrder.parse(row.cdcOrd()).nextPlace();
    if (row.keyChanged() && (current != null || !moved.containsKey(next))) {
      Map<String, @Nullable Object> last =
          current == null ? new LinkedHashMap<>() : new LinkedHashMap<>(current.image().values());
      if (row.before() != null) {
        last.putAll(columns(row, row.before()));
      }
      moved.put(next, last);
    }
  }

  private RowImage image(LedgerRow row, @Nullable FoldedRow current) {
    Map<String, @Nullable Object> merged = before(row, current);
    merged.putAll(columns(row, row.after()));
    return RowImage.of(merged);
  }

  /** What a column holds that the after image leaves out. */
  private Map<String, @Nullable Object> before(LedgerRow row, @Nullable FoldedRow current) {
    if (row.operation() != Operation.UPDATE) {
      return row.keyChanged()
          ? new LinkedHashMap<>(
              moved.getOrDefault(ChangeOrder.parse(row.cdcOrd()).place(), Map.of()))
          : new LinkedHashMap<>();
    }
    if (current != null) {
      return new LinkedHashMap<>(current.image().values());
    }
    return row.before() == null ? new LinkedHashMap<>() : columns(row, row.before());
  }

  @SuppressWarnings("unchecked") // JsonReader makes maps of this type alone
  private static Map<String, @Nullable Object> columns(LedgerRow row, @Nullable String json) {
    try {
      if (json != null && JsonReader.read(json) instanceof Map<?, ?> object) {
        return (Map<String, @Nullable Object>) object;
      }
    } catch (MalformedJsonException e) {
      throw noImage(row, json, e);
    }
    throw noImage(row, json, null);
  }

  private static IllegalArgumentException noImage(
      LedgerRow row, @Nullable String json, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "Cannot fold the change %s: image %s (expected: a JSON object)"
            .formatted(row.cdcOrd(), json),
        cause);
  }
}
