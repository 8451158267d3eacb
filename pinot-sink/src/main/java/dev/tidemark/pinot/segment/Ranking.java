package dev.tidemark.pinot.segment;

/**
 * The distinct entries of a column in ascending order: a dictionary without the values.
 *
 * @param rankOf the rank of each entry; equal entries have the same
 * @param entryOf an entry of each rank
 */
record Ranking(int[] rankOf, int[] entryOf) {
  private static final int SMALL_RANGE = 1 << 16;

  int cardinality() {
    return entryOf.length;
  }

  /** Ranks signed numbers, each of which is an entry. */
  static Ranking ofNumbers(long[] numbers) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (long number : numbers) {
      min = Math.min(min, number);
      max = Math.max(max, number);
    }
    long range = max - min;
    boolean isNarrow = range >= 0 && range < Math.max(SMALL_RANGE, 4L * numbers.length);
    return isNarrow ? byTable(numbers, min, (int) range + 1) : bySorting(numbers);
  }

  private static Ranking byTable(long[] numbers, long min, int range) {
    int[] entryPlusOne = new int[range];
    int cardinality = 0;
    for (int i = numbers.length - 1; i >= 0; i--) {
      int place = (int) (numbers[i] - min);
      cardinality += entryPlusOne[place] == 0 ? 1 : 0;
      entryPlusOne[place] = i + 1;
    }
    int[] entryOf = new int[cardinality];
    int rank = 0;
    for (int place = 0; place < range; place++) {
      if (entryPlusOne[place] != 0) {
        entryOf[rank] = entryPlusOne[place] - 1;
        entryPlusOne[place] = rank++;
      }
    }
    int[] rankOf = new int[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      rankOf[i] = entryPlusOne[(int) (numbers[i] - min)];
    }
    return new Ranking(rankOf, entryOf);
  }

  private static Ranking bySorting(long[] numbers) {
    long[] keys = new long[numbers.length];
    int[] order = new int[numbers.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = numbers[i] ^ Long.MIN_VALUE;
      order[i] = i;
    }
    new RadixSort().sort(keys, order, 0, keys.length);
    int[] rankOf = new int[keys.length];
    int[] entryOf = new int[distinct(keys)];
    int rank = -1;
    for (int i = 0; i < keys.length; i++) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        entryOf[++rank] = order[i];
      }
      rankOf[order[i]] = rank;
    }
    return new Ranking(rankOf, entryOf);
  }

  /** How many different keys there are among sorted ones. */
  private static int distinct(long[] sorted) {
    int distinct = 0;
    for (int i = 0; i < sorted.length; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        distinct++;
      }
    }
    return distinct;
  }
}
