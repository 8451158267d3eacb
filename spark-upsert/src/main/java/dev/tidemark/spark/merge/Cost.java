package dev.tidemark.spark.merge;

/**
 * What rows on their way to other tasks cost.
 *
 * @param exchanges how many times rows of the increment or of the base table were sent to other
 *     tasks
 * @param shuffledBytes that were written to shuffles for it, compressed
 */
record Cost(int exchanges, long shuffledBytes) {
  static final Cost NOTHING = new Cost(0, 0);

  Cost plus(Cost other) {
    return new Cost(exchanges + other.exchanges, shuffledBytes + other.shuffledBytes);
  }
}
