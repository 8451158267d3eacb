package dev.tidemark.spark.merge;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The row that gets a changed primary key: its INSERT may leave columns out, which then hold what
 * the row held under its old key.
 *
 * @param image the INSERT's after image
 * @param cdcOrd the INSERT's order
 */
record NewRow(ImageShape shape, String image, String cdcOrd) {
  private static final int PLACE = 24;

  /**
   * The base table's row of the old key, a tombstone or not.
   *
   * @param cdcOrd null if no change has touched it
   * @param texts its values as in an image
   */
  record Base(@Nullable String cdcOrd, @Nullable String[] texts) {}

  /**
   * What became of the image.
   *
   * @param image with all columns; null if the old row has itself got its key by a change that is
   *     not completed yet
   * @param unknown how many columns nobody knows: they are null
   */
  record Completed(@Nullable String image, int unknown) {}

  /**
   * Completes the image.
   *
   * @param changes of the old key before the INSERT, the DELETE half among them
   * @param base null if the base table has no row of the old key
   * @param giveUp takes null for what is not known, instead of waiting for the old row
   */
  Completed complete(List<ImageFold.Change> changes, @Nullable Base base, boolean giveUp) {
    ImageFold.Folded old = new ImageFold(shape).foldOldRow(changes);
    String moved = lastIncompleteMove(changes);
    boolean isBaseValid = base != null && isValid(base, moved);
    boolean[] said = new boolean[shape.size()];
    @Nullable String[] texts = new String[shape.size()];
    shape.overlay(image, texts, said);
    int unknown = 0;
    for (int i = 0; i < said.length; i++) {
      if (said[i]) {
        continue;
      }
      if (old.known()[i]) {
        texts[i] = old.texts()[i];
      } else if (base != null && isBaseValid) {
        texts[i] = base.texts()[i];
      } else if (moved != null && !giveUp) {
        return new Completed(null, 0);
      } else {
        texts[i] = old.fallback()[i];
        unknown += texts[i] == null ? 1 : 0;
      }
    }
    return new Completed(shape.completed(image, texts), unknown);
  }

  /** Whether the base table's row is that of before the change: not older, not newer. */
  private boolean isValid(Base base, @Nullable String moved) {
    String order = base.cdcOrd();
    if (order == null) {
      return moved == null;
    }
    return order.compareTo(cdcOrd) < 0
        && (moved == null || place(order).compareTo(place(moved)) >= 0);
  }

  private @Nullable String lastIncompleteMove(List<ImageFold.Change> changes) {
    return changes.stream()
        .filter(change -> change.keyChanged() && change.op().equals("I"))
        .filter(change -> change.after() != null && !shape.isWhole(change.after()))
        .map(ImageFold.Change::cdcOrd)
        .max(String::compareTo)
        .orElse(null);
  }

  /** A change that is delivered again has the same place and another order. */
  private static String place(String cdcOrd) {
    return cdcOrd.substring(0, Math.min(PLACE, cdcOrd.length()));
  }
}
