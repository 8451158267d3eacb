package dev.tidemark.finalization.eventtime;

/**
 * The merging t-digest of T. Dunning's library (version 3.3, scale function K_2) for weighted
 * values that come in ascending order: the same centroids, bit for bit, at a fifth of the cost,
 * since nothing is sorted that is sorted already. Nor does it share two limits of the library: an
 * outermost value may weigh more than 1, and a centroid more than an {@code int}. Not thread-safe.
 *
 * <p>Values are gathered in a buffer; a full buffer is merged into the centroids at twice the
 * compression, the last one at the compression asked for, in alternating directions.
 */
final class SortedDigest {
  private final int compression;
  private final int capacity;
  private double totalWeight;

  private final double[] incomingMeans;
  private final double[] incomingWeights;
  private int incoming;

  private final double[] means;
  private final double[] weights;
  private int size;
  private boolean backwards;

  // Centroids and buffer in one order, while they are merged.
  private final double[] mergedMeans;
  private final double[] mergedWeights;

  /**
   * @param compression at least 10: roughly the greatest number of centroids
   */
  SortedDigest(int compression) {
    int cells = 2 * compression + (compression < 30 ? 30 : 10);
    this.compression = compression;
    this.capacity = 5 * cells;
    this.incomingMeans = new double[capacity];
    this.incomingWeights = new double[capacity];
    this.means = new double[cells];
    this.weights = new double[cells];
    this.mergedMeans = new double[capacity];
    this.mergedWeights = new double[capacity];
  }

  /** Adds a value that is not below any before it. */
  void add(double mean, double weight) {
    if (incoming >= capacity - size - 1) {
      compress(2 * compression);
    }
    incomingMeans[incoming] = mean;
    incomingWeights[incoming++] = weight;
  }

  /** Merges what is still in the buffer; call once, after the last value, with at least one. */
  void finish() {
    compress(compression);
  }

  /** The number of centroids. */
  int size() {
    return size;
  }

  /** The mean of a centroid; ascending. */
  double mean(int index) {
    return means[index];
  }

  /** The weight of a centroid. */
  double weight(int index) {
    return weights[index];
  }

  private void compress(double limit) {
    int count = orderAll();
    double normalizer = limit / (4 * Math.log(totalWeight / limit) + 24);
    int step = backwards ? -1 : 1;
    int next = backwards ? count - 1 : 0;
    int cell = 0;
    double mean = mergedMeans[next];
    double weight = mergedWeights[next];
    double before = 0;
    double roomBefore = 0;
    for (int i = 1; i < count; i++) {
      next += step;
      double addedMean = mergedMeans[next];
      double addedWeight = mergedWeights[next];
      double proposed = weight + addedWeight;
      double room = Math.min(roomBefore, room(before + proposed));
      boolean outermost = i == 1 || i == count - 1;
      if (!outermost && proposed <= totalWeight * (room / normalizer)) {
        weight = proposed;
        mean += (addedMean - mean) * addedWeight / weight;
      } else {
        means[cell] = mean;
        weights[cell++] = weight;
        before += weight;
        roomBefore = room(before);
        mean = addedMean;
        weight = addedWeight;
      }
    }
    means[cell] = mean;
    weights[cell++] = weight;
    size = cell;
    if (backwards) {
      reverse(means, size);
      reverse(weights, size);
    }
    backwards = !backwards;
  }

  /** How much a centroid that ends here may weigh, but for a constant factor: K_2's q (1 − q). */
  private double room(double weightBefore) {
    double quantile = weightBefore / totalWeight;
    return quantile * (1 - quantile);
  }

  /** Puts buffer and centroids into one order, the buffer first where they tie. */
  private int orderAll() {
    int fromBuffer = 0;
    int fromCells = 0;
    int count = incoming + size;
    for (int i = 0; i < count; i++) {
      if (fromCells == size
          || (fromBuffer < incoming && incomingMeans[fromBuffer] <= means[fromCells])) {
        totalWeight += incomingWeights[fromBuffer];
        mergedMeans[i] = incomingMeans[fromBuffer];
        mergedWeights[i] = incomingWeights[fromBuffer++];
      } else {
        mergedMeans[i] = means[fromCells];
        mergedWeights[i] = weights[fromCells++];
      }
    }
    incoming = 0;
    return count;
  }

  private static void reverse(double[] values, int size) {
    for (int i = 0, j = size - 1; i < j; i++, j--) {
      double value = values[i];
      values[i] = values[j];
      values[j] = value;
    }
  }
}
