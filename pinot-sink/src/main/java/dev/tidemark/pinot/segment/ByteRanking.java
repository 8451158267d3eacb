package dev.tidemark.pinot.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Ranks the entries of a list of byte strings: by unsigned bytes, or, for UTF-8, in the order of
 * {@link String#compareTo}, which puts supplementary characters before U+E000 to U+FFFF. Eight
 * bytes at a time are made a key and sorted by radix; entries with equal keys go on with the next
 * eight.
 */
final class ByteRanking {
  private static final int KEY_BYTES = Long.BYTES;
  private static final int SMALL = 24;
  private static final long NOT_ASCII = 0x8080808080808080L;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final ByteValues values;
  private final Comparison comparison;
  private final int[] order;
  private final long[] keys;
  private final BitSet equalToPrevious = new BitSet();
  private final RadixSort radix = new RadixSort();

  private ByteRanking(ByteValues values, boolean isText) {
    this.values = values;
    this.comparison = new Comparison(values, isText);
    this.order = new int[values.entryCount()];
    this.keys = new long[order.length];
    Arrays.setAll(order, entry -> entry);
  }

  static Ranking of(ByteValues values, boolean isText) {
    ByteRanking ranking = new ByteRanking(values, isText);
    ranking.sort(0, ranking.order.length, 0);
    return ranking.result();
  }

  /** A comparison of entries, for many of them. */
  record Comparison(ByteValues values, byte[] weights) {
    Comparison(ByteValues values, boolean isText) {
      this(values, ByteRanking.weights(isText));
    }

    int compare(int left, int right) {
      long a = values.reference(left);
      long b = values.reference(right);
      byte[] pageA = values.pages().page(a);
      byte[] pageB = values.pages().page(b);
      int fromA = BytePages.offset(a);
      int fromB = BytePages.offset(b);
      int lengthA = BytePages.length(a);
      int lengthB = BytePages.length(b);
      int at = Arrays.mismatch(pageA, fromA, fromA + lengthA, pageB, fromB, fromB + lengthB);
      if (at < 0) {
        return 0;
      }
      if (at == Math.min(lengthA, lengthB)) {
        return lengthA - lengthB;
      }
      return (weights[pageA[fromA + at] & 0xFF] & 0xFF)
          - (weights[pageB[fromB + at] & 0xFF] & 0xFF);
    }

    /** The first eight bytes as a number whose unsigned order is theirs; zeros behind. */
    long key(int entry) {
      return key(entry, 0);
    }

    /** As {@link #key(int)}, from this depth on. */
    long key(int entry, int depth) {
      long reference = values.reference(entry);
      byte[] page = values.pages().page(reference);
      int at = BytePages.offset(reference) + depth;
      int count = Math.min(BytePages.length(reference) - depth, KEY_BYTES);
      if (count <= 0) {
        return 0;
      }
      if (at + KEY_BYTES <= page.length) {
        long key = (long) LONG.get(page, at) & (-1L << (KEY_BYTES - count) * Byte.SIZE);
        if ((key & NOT_ASCII) == 0) {
          return key;
        }
      }
      long key = 0;
      for (int i = at; i < at + count; i++) {
        key = key << Byte.SIZE | (weights[page[i] & 0xFF] & 0xFF);
      }
      return key << (KEY_BYTES - count) * Byte.SIZE;
    }
  }

  private Ranking result() {
    int[] rankOf = new int[order.length];
    int[] entryOf = new int[order.length - equalToPrevious.cardinality()];
    int rank = -1;
    for (int i = 0; i < order.length; i++) {
      if (!equalToPrevious.get(i)) {
        entryOf[++rank] = order[i];
      }
      rankOf[order[i]] = rank;
    }
    return new Ranking(rankOf, entryOf);
  }

  /** Sorts a range of entries that are equal in their first {@code depth} bytes. */
  private void sort(int from, int to, int depth) {
    if (to - from <= SMALL) {
      sortSmall(from, to);
      return;
    }
    for (int i = from; i < to; i++) {
      keys[i] = comparison.key(order[i], depth);
    }
    radix.sort(keys, order, from, to);
    int start = from;
    for (int i = from + 1; i <= to; i++) {
      if (i == to || keys[i] != keys[start]) {
        if (i - start > 1) {
          sortEqualKeys(start, i, depth + KEY_BYTES);
        }
        start = i;
      }
    }
  }

  /** Sorts entries with one key: those that end before {@code depth} first, by their length. */
  private void sortEqualKeys(int from, int to, int depth) {
    int longer = to;
    for (int i = to - 1; i >= from; i--) {
      if (length(order[i]) > depth) {
        swap(i, --longer);
      }
    }
    sortByLength(from, longer);
    if (to - longer > 1) {
      sort(longer, to, depth);
    }
  }

  private void sortByLength(int from, int to) {
    if (to - from < 2) {
      return;
    }
    for (int i = from; i < to; i++) {
      keys[i] = length(order[i]);
    }
    radix.sort(keys, order, from, to);
    for (int i = from + 1; i < to; i++) {
      if (length(order[i]) == length(order[i - 1])) {
        equalToPrevious.set(i);
      }
    }
  }

  private void sortSmall(int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int entry = order[i];
      int place = i;
      while (place > from && comparison.compare(order[place - 1], entry) > 0) {
        order[place] = order[place - 1];
        place--;
      }
      order[place] = entry;
    }
    for (int i = from + 1; i < to; i++) {
      if (comparison.compare(order[i - 1], order[i]) == 0) {
        equalToPrevious.set(i);
      }
    }
  }

  private int length(int entry) {
    return BytePages.length(values.reference(entry));
  }

  private void swap(int left, int right) {
    int entry = order[left];
    order[left] = order[right];
    order[right] = entry;
  }

  /**
   * What a byte counts. In UTF-8 the first bytes F0 to F4 lead supplementary characters, EE and EF
   * those of U+E000 to U+FFFF, which come last in the order of UTF-16.
   */
  private static byte[] weights(boolean isText) {
    byte[] weights = new byte[1 << Byte.SIZE];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (byte) i;
    }
    if (isText) {
      for (int i = 0xF0; i <= 0xF4; i++) {
        weights[i] = (byte) (i - 2);
      }
      weights[0xEE] = (byte) 0xF3;
      weights[0xEF] = (byte) 0xF4;
    }
    return weights;
  }
}
