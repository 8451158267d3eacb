package dev.tidemark.pinot.commit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The segments that Pinot consumes itself, by their names: table, partition, sequence, time. */
final class StreamSegments {
  private static final int PARTS = 4;
  private static final String SEPARATOR = "__";

  private StreamSegments() {}

  /** Whether Pinot consumed it, or is consuming it. */
  static boolean isOne(String name) {
    String[] parts = name.split(SEPARATOR, -1);
    return parts.length == PARTS && isNumber(parts[1]) && isNumber(parts[2]);
  }

  /** By partition, oldest first. */
  static SortedMap<Integer, List<String>> byPartition(Collection<String> names) {
    SortedMap<Integer, List<String>> partitions = new TreeMap<>();
    names.stream()
        .filter(StreamSegments::isOne)
        .sorted(Comparator.comparingLong(name -> Long.parseLong(name.split(SEPARATOR, -1)[2])))
        .forEach(
            name ->
                partitions
                    .computeIfAbsent(
                        Integer.valueOf(name.split(SEPARATOR, -1)[1]), p -> new ArrayList<>())
                    .add(name));
    return partitions;
  }

  private static boolean isNumber(String text) {
    return text.matches("\\d{1,9}");
  }
}
