package dev.tidemark.finalization.eventtime;

import java.util.Arrays;

/** Sorts the centroids of many sketches by mean, then by weight. */
final class CentroidOrder {
  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private CentroidOrder() {}

  /**
   * Sorts both arrays alike: by the digits of the distance to the least mean (a radix sort, as
   * there are tens of thousands of centroids within a few hours), and then the weights of equal
   * means.
   *
   * @param min not above any mean
   * @param max not below any mean
   */
  static void sort(long[] means, long[] weights, long min, long max) {
    long[] sortedMeans = means;
    long[] sortedWeights = weights;
    long[] otherMeans = new long[means.length];
    long[] otherWeights = new long[means.length];
    for (int shift = 0; shift < Long.SIZE && (max - min) >>> shift != 0; shift += DIGIT_BITS) {
      int[] next = firstSlots(sortedMeans, min, shift);
      for (int i = 0; i < means.length; i++) {
        int slot = next[digit(sortedMeans[i] - min, shift)]++;
        otherMeans[slot] = sortedMeans[i];
        otherWeights[slot] = sortedWeights[i];
      }
      long[] filled = otherMeans;
      otherMeans = sortedMeans;
      sortedMeans = filled;
      filled = otherWeights;
      otherWeights = sortedWeights;
      sortedWeights = filled;
    }
    System.arraycopy(sortedMeans, 0, means, 0, means.length);
    System.arraycopy(sortedWeights, 0, weights, 0, means.length);
    sortWeightsOfEqualMeans(means, weights);
  }

  private static int[] firstSlots(long[] means, long min, int shift) {
    int[] first = new int[DIGITS + 1];
    for (long mean : means) {
      first[digit(mean - min, shift) + 1]++;
    }
    for (int digit = 1; digit < first.length; digit++) {
      first[digit] += first[digit - 1];
    }
    return first;
  }

  private static int digit(long distance, int shift) {
    return (int) (distance >>> shift) & (DIGITS - 1);
  }

  private static void sortWeightsOfEqualMeans(long[] means, long[] weights) {
    int from = 0;
    for (int to = 1; to <= means.length; to++) {
      if (to == means.length || means[to] != means[from]) {
        Arrays.sort(weights, from, to);
        from = to;
      }
    }
  }
}
