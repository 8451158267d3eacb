package dev.tidemark.spark.merge;

import dev.tidemark.pipeline.event.ChangeOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a row was before its primary key changed, replayed in the order of the source: so
 * it is known what the row held at the change, which the INSERT of the new key may leave out.
 *
 * <p>A row of the base table counts as an event too, at the place of the change that made it: it
 * says what the row was then, whatever the ledger has lost of what was before, and says nothing of
 * earlier or later times. A row of a dump stands at the place where the dump began, and may have
 * been read later. One instance per INSERT, one thread.
 */
final class OldRows {
  private final ImageShape shape;
  private final Map<String, Values> rows = new HashMap<>();

  /** What rows held when their key changed, by the place of the INSERT that follows. */
  private final Map<String, Values> moved = new HashMap<>();

  OldRows(ImageShape shape) {
    this.shape = shape;
  }

  /** What is known of a row. */
  private record Values(@Nullable String[] texts, boolean[] known) {
    Values copy() {
      return new Values(texts.clone(), known.clone());
    }
  }

  /**
   * Something that happened to a key.
   *
   * @param key any text that tells keys apart
   * @param change of the ledger; null for a row of the base table
   * @param row of the base table; null for a change
   */
  record Event(String key, ImageFold.@Nullable Change change, @Nullable BaseRow row) {
    static Event of(String key, ImageFold.Change change) {
      return new Event(key, change, null);
    }

    static Event of(String key, BaseRow row) {
      return new Event(key, null, row);
    }

    private String order() {
      String order = row != null ? row.cdcOrd() : change == null ? null : change.cdcOrd();
      return order == null ? "" : order;
    }

    /** Rows that snapshots read all have one place: the later of them in Kafka counts. */
    private String place() {
      String order = order();
      return order.isEmpty() || ChangeOrder.parse(order).isSnapshot() ? order : placeOf(order);
    }

    /** A tombstone holds what its DELETE ended, another row what its change made. */
    private int rank() {
      return row == null ? 1 : row.deleted() ? 0 : 2;
    }
  }

  /**
   * A row of the base table.
   *
   * @param cdcOrd null if no change has touched it
   * @param deleted whether it is a tombstone
   * @param texts its values as in an image
   */
  record BaseRow(@Nullable String cdcOrd, boolean deleted, @Nullable String[] texts) {}

  /**
   * An image with all columns.
   *
   * @param unknown how many of them nobody knows: they are null
   */
  record Completed(String image, int unknown) {}

  /**
   * Completes the image of an INSERT.
   *
   * @param cdcOrd its order
   * @param events before it, of every key that the row has had, in any order
   */
  Completed complete(String image, String cdcOrd, List<Event> events) {
    List<Event> ordered = new ArrayList<>(events);
    ordered.sort(
        Comparator.comparing(Event::place).thenComparing(Event::rank).thenComparing(Event::order));
    ordered.forEach(this::apply);
    Values values = arrived(cdcOrd);
    shape.overlay(image, values.texts(), values.known());
    int unknown = 0;
    for (boolean known : values.known()) {
      unknown += known ? 0 : 1;
    }
    return new Completed(shape.completed(image, values.texts()), unknown);
  }

  private void apply(Event event) {
    if (event.row() != null) {
      rows.put(event.key(), known(event.row().texts().clone()));
    } else if (event.change() != null) {
      apply(event.key(), event.change());
    }
  }

  private void apply(String key, ImageFold.Change change) {
    switch (change.op()) {
      case "D" -> delete(key, change);
      case "U" -> rows.put(key, with(updated(key, change), change.after()));
      default -> rows.put(key, with(inserted(key, change), change.after()));
    }
  }

  /**
   * What an INSERT that leaves columns out leaves them at. A row that is there already, though no
   * DELETE has ended it, is that of the INSERT itself, or later: a dump that took its time has read
   * it.
   */
  private Values inserted(String key, ImageFold.Change change) {
    if (!change.keyChanged()) {
      return known(new String[shape.size()]);
    }
    Values arrived = arrived(change.cdcOrd());
    Values there = rows.get(key);
    for (int i = 0; there != null && i < shape.size(); i++) {
      if (!arrived.known()[i]) {
        arrived.texts()[i] = there.texts()[i];
        arrived.known()[i] = there.known()[i];
      }
    }
    return arrived;
  }

  private void delete(String key, ImageFold.Change change) {
    Values last = rows.remove(key);
    String next = ChangeOrder.parse(change.cdcOrd()).nextPlace();
    boolean isSentAgain = last == null && moved.containsKey(next);
    if (change.keyChanged() && !isSentAgain) {
      moved.put(next, with(last == null ? unknown() : last, change.before()));
    }
  }

  private Values updated(String key, ImageFold.Change change) {
    Values current = rows.get(key);
    return current != null ? current.copy() : with(unknown(), change.before());
  }

  private Values arrived(String cdcOrd) {
    Values row = moved.get(placeOf(cdcOrd));
    return row == null ? unknown() : row.copy();
  }

  private Values with(Values values, @Nullable String image) {
    if (image != null) {
      shape.overlay(image, values.texts(), values.known());
    }
    return values;
  }

  private Values unknown() {
    return new Values(new String[shape.size()], new boolean[shape.size()]);
  }

  private static Values known(@Nullable String[] texts) {
    boolean[] known = new boolean[texts.length];
    Arrays.fill(known, true);
    return new Values(texts, known);
  }

  private static String placeOf(String cdcOrd) {
    return ChangeOrder.parse(cdcOrd).place();
  }
}
