package dev.tidemark.pinot.segment;

import java.util.Arrays;

/**
 * How many different keys there are among many, without sorting them: they are spread over 256
 * groups by their hash, and each group is counted in a small table that stays in the cache.
 */
final class DistinctCount {
  private static final int GROUP_BITS = 8;
  private static final int GROUPS = 1 << GROUP_BITS;

  private DistinctCount() {}

  /** Counts; the keys are overwritten. */
  static int of(long[] keys) {
    int[] starts = new int[GROUPS + 1];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = ByteValues.mix(keys[i]); // reversible: different keys stay different
      starts[group(keys[i]) + 1]++;
    }
    int largest = 0;
    for (int group = 0; group < GROUPS; group++) {
      largest = Math.max(largest, starts[group + 1]);
      starts[group + 1] += starts[group];
    }
    long[] grouped = grouped(keys, starts);
    long[] table = new long[Math.max(2, Integer.highestOneBit(largest) * 4)];
    int distinct = 0;
    for (int group = 0; group < GROUPS; group++) {
      distinct += count(grouped, starts[group], starts[group + 1], table);
    }
    return distinct;
  }

  private static long[] grouped(long[] keys, int[] starts) {
    int[] next = Arrays.copyOf(starts, GROUPS);
    long[] grouped = new long[keys.length];
    for (long key : keys) {
      grouped[next[group(key)]++] = key;
    }
    return grouped;
  }

  private static int count(long[] keys, int from, int to, long[] table) {
    Arrays.fill(table, 0);
    int mask = table.length - 1;
    int distinct = 0;
    boolean hasZero = false;
    for (int i = from; i < to; i++) {
      long key = keys[i];
      if (key == 0) {
        hasZero = true;
      } else {
        int slot = (int) key & mask;
        while (table[slot] != 0 && table[slot] != key) {
          slot = (slot + 1) & mask;
        }
        distinct += table[slot] == 0 ? 1 : 0;
        table[slot] = key;
      }
    }
    return hasZero ? distinct + 1 : distinct;
  }

  private static int group(long key) {
    return (int) (key >>> (Long.SIZE - GROUP_BITS));
  }
}
