package dev.tidemark.finalization.eventtime;

/**
 * How many records are earlier than some time, as far as a sketch can tell.
 *
 * @param least at least so many
 * @param estimate the best guess, between the two
 * @param most at most so many
 */
public record RowsBelow(long least, long estimate, long most) {
  /** None, for certain. */
  public static final RowsBelow NONE = exactly(0);

  public RowsBelow {
    if (least < 0 || least > estimate || estimate > most) {
      throw new IllegalArgumentException(
          "Invalid rows below: "
              + estimate
              + " between "
              + least
              + " and "
              + most
              + " (expected: 0 <= least <= estimate <= most)");
    }
  }

  /** Known to the row. */
  public static RowsBelow exactly(long rows) {
    return new RowsBelow(rows, rows, rows);
  }

  /** With the guess moved into the bounds; bounds that cross are both taken as possible. */
  public static RowsBelow between(long least, long estimate, long most) {
    long low = Math.min(least, most);
    long high = Math.max(least, most);
    return new RowsBelow(low, Math.max(low, Math.min(high, estimate)), high);
  }

  /** Both together. */
  public RowsBelow plus(RowsBelow other) {
    return new RowsBelow(
        Math.addExact(least, other.least),
        Math.addExact(estimate, other.estimate),
        Math.addExact(most, other.most));
  }

  /** What two sources know of the same rows; the guess is this one's. */
  public RowsBelow and(RowsBelow other) {
    return between(Math.max(least, other.least), estimate, Math.min(most, other.most));
  }

  /** Whether it is known to the row. */
  public boolean isExact() {
    return least == most;
  }
}
