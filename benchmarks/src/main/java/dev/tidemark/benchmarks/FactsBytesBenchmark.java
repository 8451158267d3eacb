package dev.tidemark.benchmarks;

import dev.tidemark.finalization.accumulator.Accumulator;
import dev.tidemark.finalization.eventtime.EventTimeAccumulator;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeExtractor;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.eventtime.EventTimeProperties;
import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.eventtime.SetAside;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.LateRows;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * How many characters the facts of one commit put into a store, keys and values together: event
 * time, identity and late rows; not the coverage of the source, nor the opinion. Every commit's
 * facts stay in every later metadata file of a table, so this is the cost of keeping them. What was
 * set aside and what was late are at their longest.
 */
final class FactsBytesBenchmark implements Benchmark {
  private static final int[] SIZES = {1_000, 10_000, 100_000, 1_000_000, 10_000_000};
  private static final int WRITERS = 16;
  private static final long LARGEST = Long.MAX_VALUE;
  private static final String WRITER = "orders-eu-west-1-production-0001";
  private static final String COMMIT_ID = "6f1c2d0e-9b7a-4c55-8d3e-2f4a6b8c0d1e";

  @Override
  public String summary() {
    return "Most characters that the facts of one commit put into a store";
  }

  @Override
  public Target target() {
    return Target.atMost(1024, "characters");
  }

  @Override
  public Figure measure(List<String> arguments, PrintStream out) {
    if (!arguments.isEmpty()) {
      throw new IllegalArgumentException("Invalid arguments: " + arguments + " (expected: none)");
    }
    out.printf(
        "Characters of keys and values of one commit, merged from %d writers; usual: nothing late"
            + " or set aside; longest: every key, with the longest value it can have.%n",
        WRITERS);
    out.printf(
        "  %-16s %10s %8s %8s %8s %10s%n",
        "distribution", "records", "usual", "longest", "digest", "late list");
    List<Double> totals = new ArrayList<>();
    distributions()
        .forEach(
            (name, source) -> {
              for (int size : SIZES) {
                EventTimeFacts facts = commit(source, size);
                Map<String, String> longest = longest(facts);
                int total = characters(longest);
                out.printf(
                    "  %-16s %,10d %8d %8d %8d %10d%n",
                    name, size, characters(usual(facts)), total, digest(longest), late(longest));
                totals.add((double) total);
              }
            });
    Spread spread = Spread.of(totals.stream().mapToDouble(Double::doubleValue).toArray());
    out.printf("  longest: %s%n", spread);
    return Figure.of(spread.max());
  }

  private static Map<String, EventTimes.Source> distributions() {
    Map<String, EventTimes.Source> distributions = new LinkedHashMap<>();
    distributions.put("uniform hour", EventTimes::uniformHour);
    distributions.put("log-normal lag", EventTimes::logNormalLag);
    distributions.put("Pareto lag", EventTimes::paretoLag);
    distributions.put("two clusters", EventTimes::twoClusters);
    return distributions;
  }

  /** The facts of one commit: what {@value #WRITERS} writers counted, merged. */
  private static EventTimeFacts commit(EventTimes.Source source, int size) {
    SplittableRandom random = new SplittableRandom(size);
    List<EventTimeFacts> parts = new ArrayList<>();
    Totals totals = new Totals();
    for (int writer = 0; writer < WRITERS; writer++) {
      long[] times =
          EventTimes.of(source, share(size, writer + 1) - share(size, writer), random.nextLong());
      Accumulator<Long, EventTimeFacts> accumulator = accumulator();
      for (long time : times) {
        accumulator.add(time);
      }
      totals.add(times);
      parts.add(accumulator.snapshot());
    }
    EventTimeFacts facts = EventTimeFacts.merge(parts);
    totals.verify(facts);
    return facts;
  }

  private static int share(int size, int writer) {
    return (int) ((long) size * writer / WRITERS);
  }

  private static Accumulator<Long, EventTimeFacts> accumulator() {
    return new EventTimeAccumulator<>(
        EventTimeExtractor.ofNumber(Long::longValue, EventTimeUnit.MILLIS),
        Granularity.HOUR,
        EventTimeBounds.DEFAULT,
        EventTimes.CLOCK);
  }

  private static Map<String, String> usual(EventTimeFacts facts) {
    Map<String, String> properties = EventTimeProperties.write(facts);
    properties.putAll(FinalizationProperties.identity(WRITER, COMMIT_ID));
    return properties;
  }

  private static Map<String, String> longest(EventTimeFacts facts) {
    SetAside aside = new SetAside(LARGEST, LARGEST, Long.MIN_VALUE, LARGEST, LARGEST, LARGEST);
    Map<String, String> properties =
        usual(new EventTimeFacts(facts.times(), aside, facts.granules()));
    properties.put(FinalizationProperties.LATE, longestLateText());
    return properties;
  }

  /** The longest text of late rows over row counts of every length, hours side by side or apart. */
  private static String longestLateText() {
    String longest = "";
    for (long rows = 1; rows <= LARGEST / 1_000; rows *= 10) {
      for (long hoursApart = 1; hoursApart <= 1_000; hoursApart *= 10) {
        String text = lateText(rows, hoursApart);
        longest = text.length() > longest.length() ? text : longest;
      }
    }
    return longest;
  }

  private static String lateText(long rows, long hoursApart) {
    SortedMap<Long, Long> late = new TreeMap<>();
    for (int i = 0; i < 2 * LateRows.MAX_GRANULES; i++) {
      late.put(EventTimes.START_MILLIS - i * hoursApart * 3_600_000L, rows);
    }
    return LateRows.of(GranuleCounts.of(late)).toText();
  }

  private static int characters(Map<String, String> properties) {
    return properties.entrySet().stream()
        .mapToInt(property -> property.getKey().length() + property.getValue().length())
        .sum();
  }

  private static int digest(Map<String, String> facts) {
    return facts.getOrDefault(EventTimeProperties.PREFIX + "digest", "").length();
  }

  private static int late(Map<String, String> facts) {
    return facts.getOrDefault(FinalizationProperties.LATE, "").length();
  }
}
