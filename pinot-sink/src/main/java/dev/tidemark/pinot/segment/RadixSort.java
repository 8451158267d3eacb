package dev.tidemark.pinot.segment;

import java.util.Arrays;

/**
 * Sorts ranges of unsigned 64-bit keys, each with a companion, by least significant digit; digits
 * that are equal in all keys cost nothing but their counting. Stable. Keeps its scratch arrays, so
 * that one instance sorts many ranges. Not thread-safe.
 */
final class RadixSort {
  private static final int DIGIT_BITS = 8;
  private static final int DIGITS = Long.SIZE / DIGIT_BITS;
  private static final int BUCKETS = 1 << DIGIT_BITS;
  private static final int MASK = BUCKETS - 1;

  private final int[][] counts = new int[DIGITS][BUCKETS];
  private long[] spareKeys = new long[0];
  private int[] spareCompanions = new int[0];

  /** Sorts {@code keys[from, to)} and moves {@code companions[from, to)} along. */
  void sort(long[] keys, int[] companions, int from, int to) {
    int size = to - from;
    ensureSpare(size);
    count(keys, from, to);
    long[] sourceKeys = keys;
    int[] source = companions;
    int sourceFrom = from;
    boolean isMoved = false;
    for (int digit = 0; digit < DIGITS; digit++) {
      if (!isConstant(digit, sourceKeys[sourceFrom], size)) {
        long[] targetKeys = isMoved ? keys : spareKeys;
        int[] target = isMoved ? companions : spareCompanions;
        int targetFrom = isMoved ? from : 0;
        scatter(digit, sourceKeys, source, sourceFrom, targetKeys, target, targetFrom, size);
        sourceKeys = targetKeys;
        source = target;
        sourceFrom = targetFrom;
        isMoved = !isMoved;
      }
    }
    if (isMoved) {
      System.arraycopy(spareKeys, 0, keys, from, size);
      System.arraycopy(spareCompanions, 0, companions, from, size);
    }
  }

  private void ensureSpare(int size) {
    if (spareKeys.length < size) {
      spareKeys = new long[size];
      spareCompanions = new int[size];
    }
  }

  private void count(long[] keys, int from, int to) {
    for (int[] count : counts) {
      Arrays.fill(count, 0);
    }
    for (int i = from; i < to; i++) {
      long key = keys[i];
      for (int digit = 0; digit < DIGITS; digit++) {
        counts[digit][(int) (key >>> digit * DIGIT_BITS) & MASK]++;
      }
    }
  }

  private boolean isConstant(int digit, long anyKey, int size) {
    return counts[digit][(int) (anyKey >>> digit * DIGIT_BITS) & MASK] == size;
  }

  private void scatter(
      int digit,
      long[] keys,
      int[] companions,
      int from,
      long[] targetKeys,
      int[] targetCompanions,
      int targetFrom,
      int size) {
    int[] next = counts[digit];
    int start = targetFrom;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      int count = next[bucket];
      next[bucket] = start;
      start += count;
    }
    int shift = digit * DIGIT_BITS;
    for (int i = from; i < from + size; i++) {
      int place = next[(int) (keys[i] >>> shift) & MASK]++;
      targetKeys[place] = keys[i];
      targetCompanions[place] = companions[i];
    }
  }
}
