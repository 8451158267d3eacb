package dev.tidemark.benchmarks;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Event times in the order in which records land, made from a seed: the same on every machine.
 * Epoch milliseconds, all before {@link #CLOCK} and after the year 2000.
 */
final class EventTimes {
  /** When the first record lands; the start of an hour. */
  static final long START_MILLIS = Instant.parse("2026-03-01T10:00:00Z").toEpochMilli();

  /** A clock that finds all of them credible. */
  static final Clock CLOCK = Clock.fixed(Instant.parse("2026-03-03T00:00:00Z"), ZoneOffset.UTC);

  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final int FLIGHTS_PER_DAY = 17_000;

  private EventTimes() {}

  /** A source of event times: record {@code index} of {@code size}. */
  @FunctionalInterface
  interface Source {
    long eventTimeMillis(int index, int size, SplittableRandom random);
  }

  /** Anywhere in one hour. */
  static long uniformHour(int index, int size, SplittableRandom random) {
    return START_MILLIS + random.nextLong(HOUR);
  }

  /** Anywhere in one day. */
  static long uniformDay(int index, int size, SplittableRandom random) {
    return START_MILLIS + random.nextLong(DAY);
  }

  /**
   * Lands evenly over an hour with a log-normal lag: a median of one minute, 16 % over three
   * minutes, 2 % over seven.
   */
  static long logNormalLag(int index, int size, SplittableRandom random) {
    long lag = (long) (MINUTE * Math.exp(gaussian(random)));
    return landing(index, size) - Math.min(lag, DAY);
  }

  /** Lands evenly over an hour with a Pareto lag of shape 0.7: some lag by months. */
  static long paretoLag(int index, int size, SplittableRandom random) {
    double lag = MINUTE * Math.pow(1 - random.nextDouble(), -1 / 0.7);
    return landing(index, size) - (long) Math.min(lag, 9_000.0 * DAY);
  }

  /** Half of the records are of this hour, half of an hour three days ago. */
  static long twoClusters(int index, int size, SplittableRandom random) {
    return uniformHour(index, size, random) - (random.nextInt(2) == 0 ? 0 : 3 * DAY);
  }

  /** Times of one source. */
  static long[] of(Source source, int size, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] times = new long[size];
    for (int i = 0; i < size; i++) {
      times[i] = source.eventTimeMillis(i, size, random);
    }
    return times;
  }

  /**
   * Like US flights of 2001: 17,000 a day, scheduled on whole five minutes from 6 to 23 o'clock, in
   * the order in which they leave; most leave within minutes of their time, some hours late.
   */
  static long[] flights(int size, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] landings = new long[size];
    for (int i = 0; i < size; i++) {
      long minute = i / FLIGHTS_PER_DAY * 1440L + 360 + 5 * random.nextLong(204);
      landings[i] = (minute + delayMinutes(random)) << 32 | minute;
    }
    Arrays.sort(landings);
    long first = START_MILLIS - (size / FLIGHTS_PER_DAY + 1) * DAY;
    return Arrays.stream(landings).map(l -> first + (l & 0xFFFF_FFFFL) * MINUTE).toArray();
  }

  private static long delayMinutes(SplittableRandom random) {
    int percent = random.nextInt(100);
    if (percent < 60) {
      return random.nextLong(-5, 6);
    }
    return (long) (Math.log(1 - random.nextDouble()) * (percent < 95 ? -20 : -100));
  }

  private static long landing(int index, int size) {
    return START_MILLIS + HOUR * index / size;
  }

  /** Box and Muller's method; {@link SplittableRandom} has none that is the same in every JDK. */
  private static double gaussian(SplittableRandom random) {
    double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
    return radius * Math.cos(2 * Math.PI * random.nextDouble());
  }
}
