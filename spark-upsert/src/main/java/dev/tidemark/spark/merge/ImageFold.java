package dev.tidemark.spark.merge;

import dev.tidemark.pipeline.event.ChangeOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Folds the changes of one key, in whatever order they come, to what the merge needs of them.
 *
 * <p>INSERT and SNAPSHOT set the whole row: a column that their image leaves out is null. UPDATE
 * sets the columns of its image; the others stay. DELETE sets all to null. What no change of the
 * increment said stays as it is in the base table, or, where the base table has no such row, as the
 * first partial UPDATE's before image says.
 *
 * <p>The DELETE half of a changed key whose before image leaves columns out keeps their values in
 * the tombstone: they are the new row's too, and its INSERT may come with a later increment. The
 * INSERT half sets the columns of its image: {@link KeyChanges} has completed it, but where the
 * base table's row is of that INSERT or later, and so holds what it left out.
 */
final class ImageFold {
  private static final int PARTITION_DIGITS = 8;

  private final ImageShape shape;

  ImageFold(ImageShape shape) {
    this.shape = shape;
  }

  /**
   * One change.
   *
   * @param op I, U, D or R
   * @param keyChanged whether it is half of a changed primary key
   */
  record Change(
      String cdcOrd,
      String op,
      @Nullable String before,
      @Nullable String after,
      boolean keyChanged) {

    /** In the source: see {@link ChangeOrder}. */
    String place() {
      return cdcOrd.substring(0, ChangeOrder.PLACE_DIGITS);
    }

    /** Partition and offset. */
    private String kafkaPlace() {
      return cdcOrd.substring(ChangeOrder.PLACE_DIGITS);
    }

    private String partition() {
      return cdcOrd.substring(
          ChangeOrder.PLACE_DIGITS, ChangeOrder.PLACE_DIGITS + PARTITION_DIGITS);
    }
  }

  /**
   * The fold.
   *
   * @param deleted whether the row is gone
   * @param texts the values as text
   * @param known for each value, whether the changes said it; else the base table's stays
   * @param fallback for values that are not known: what the row had before the changes
   */
  record Folded(
      boolean deleted, @Nullable String[] texts, boolean[] known, @Nullable String[] fallback) {}

  /**
   * Folds.
   *
   * @throws IllegalArgumentException for an image or an operation that it cannot read
   */
  Folded fold(List<Change> changes) {
    Folded state = nothing(false);
    for (Change change : ordered(changes)) {
      state = apply(state, change);
    }
    return state;
  }

  private static List<Change> ordered(List<Change> changes) {
    List<Change> ordered = firstDeliveries(changes);
    ordered.sort(Comparator.comparing(Change::cdcOrd));
    return ordered;
  }

  /**
   * Without what a connector sent again. An increment may end inside such a run: the first changes
   * of it are there again, and those that followed them, merged long ago, are not. Kafka keeps the
   * order of a key, so whatever stands behind a later change of the source is known since before
   * that one.
   */
  private static List<Change> firstDeliveries(List<Change> changes) {
    List<Change> delivered = new ArrayList<>(changes);
    delivered.sort(Comparator.comparing(Change::kafkaPlace));
    List<Change> first = new ArrayList<>();
    String partition = "";
    String latest = "";
    for (Change change : delivered) {
      String place = change.place();
      boolean isNewPartition = !change.partition().equals(partition);
      if (isNewPartition || place.compareTo(latest) >= 0) {
        first.add(change);
        latest = place;
      }
      partition = change.partition();
    }
    return first;
  }

  private Folded apply(Folded state, Change change) {
    return switch (change.op()) {
      case "D" -> keepsValues(change) ? movedAway(state, change) : whole(true);
      case "I", "R" -> overlaid(change.keyChanged() ? nothing(false) : whole(false), change);
      case "U" -> overlaid(state.deleted() ? revived(change) : withFallback(state, change), change);
      default ->
          throw new IllegalArgumentException(
              "Cannot merge the change %s: operation %s (expected: I, U, D or R)"
                  .formatted(change.cdcOrd(), change.op()));
    };
  }

  private boolean keepsValues(Change change) {
    return change.keyChanged() && (change.before() == null || !shape.isWhole(change.before()));
  }

  private Folded movedAway(Folded state, Change change) {
    if (change.before() != null) {
      shape.overlay(change.before(), state.texts(), state.known());
    }
    return new Folded(true, state.texts(), state.known(), state.fallback());
  }

  private Folded overlaid(Folded state, Change change) {
    shape.overlay(image(change, change.after()), state.texts(), state.known());
    return state;
  }

  /** An update of a row that was deleted before: it says what the row is, and nothing is kept. */
  private Folded revived(Change change) {
    Folded state = whole(false);
    if (change.before() != null) {
      shape.overlay(change.before(), state.texts(), state.known());
    }
    return state;
  }

  private Folded withFallback(Folded state, Change change) {
    if (change.before() != null && isUntouched(state)) {
      shape.overlay(change.before(), state.fallback(), new boolean[shape.size()]);
    }
    return state;
  }

  private static boolean isUntouched(Folded state) {
    for (boolean known : state.known()) {
      if (known) {
        return false;
      }
    }
    return true;
  }

  private Folded nothing(boolean deleted) {
    return new Folded(
        deleted, new String[shape.size()], new boolean[shape.size()], new String[shape.size()]);
  }

  private Folded whole(boolean deleted) {
    Folded state = nothing(deleted);
    java.util.Arrays.fill(state.known(), true);
    return state;
  }

  private static String image(Change change, @Nullable String image) {
    if (image == null) {
      throw new IllegalArgumentException(
          "Cannot merge the change %s: operation %s without an after image"
              .formatted(change.cdcOrd(), change.op()));
    }
    return image;
  }
}
