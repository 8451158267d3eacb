package dev.tidemark.finalization.eventtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.testing.Seeds;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a model that keeps every time. */
class BucketCountsTest {
  private static final long NEW_YEAR = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
  private static final long HOUR = 3_600_000L;
  private static final long DAY = 24 * HOUR;
  private static final long YEAR = 365 * DAY;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PT1S",
        "PT1.35S",
        "PT36S",
        "PT1M",
        "PT15M",
        "PT1H",
        "P1D",
        "P1D@Asia/Kolkata",
        "P1D@America/Los_Angeles",
        "P1D@Asia/Kathmandu"
      })
  void countsPerGranuleAreExact(String granularity) {
    Random random = Seeds.random("BucketCounts " + granularity);
    assertExact(granularity, 3_000, () -> NEW_YEAR + random.nextInt(1_000));
    assertExact(granularity, 3_000, () -> NEW_YEAR + (long) (random.nextGaussian() * HOUR));
    assertExact(granularity, 3_000, () -> random.nextInt(10) * DAY - 5 * DAY);
    assertExact(granularity, 3_000, () -> (long) (random.nextGaussian() * YEAR));
    assertExact(granularity, 50, () -> NEW_YEAR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT36S", "PT1H", "P1D@America/Los_Angeles"})
  void countsPerGranuleStayExactWhenBucketsBecomeCoarser(String granularity) {
    Random random = Seeds.random("BucketCounts coarser " + granularity);
    // Two days hold 1,728,000 buckets of 100 ms, ten years 315,360 of 1,000 s.
    assertExact(granularity, 72_000, () -> NEW_YEAR + (long) (random.nextDouble() * 2 * DAY));
    assertExact(granularity, 72_000, () -> (long) (random.nextGaussian() * 5 * YEAR));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT1H", "P1D@Asia/Kolkata"})
  void keepsAtMostAsManyPagesAsItSays(String granularity) {
    Random random = Seeds.random("BucketCounts bound " + granularity);
    BucketCounts buckets = new BucketCounts(Granularity.parse(granularity));
    for (int i = 0; i < 150_000; i++) {
      buckets.add(NEW_YEAR + (long) (random.nextDouble() * 30 * DAY));
    }

    BucketCounts.Sorted sorted = buckets.sorted();

    // 30 days are 2,700 pages of 16 buckets of a minute, 540 of five minutes.
    assertThat(sorted.starts().length)
        .isLessThanOrEqualTo(BucketCounts.MAX_PAGES * BucketCounts.PAGE);
    assertThat(sorted.width()).isEqualTo(300_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT1H", "PT1.35S"})
  void clearedBucketsStartFromNothing(String granularity) {
    Random random = Seeds.random("BucketCounts clear " + granularity);
    BucketCounts buckets = new BucketCounts(Granularity.parse(granularity));
    for (int round = 0; round < 3; round++) {
      TreeMap<Long, Long> model = new TreeMap<>();
      int times = round == 0 ? 100_000 : 100;
      for (int i = 0; i < times; i++) {
        long time = NEW_YEAR + (long) (random.nextDouble() * 20 * DAY);
        buckets.add(time);
        model.merge(Granularity.parse(granularity).floor(time), 1L, Long::sum);
      }
      assertThat(buckets.sorted().perGranule(Granularity.parse(granularity)).asMap())
          .isEqualTo(model);
      buckets.clear();
      assertThat(buckets.sorted().starts()).isEmpty();
    }
  }

  private static void assertExact(String text, int count, LongSupplier times) {
    Granularity granularity = Granularity.parse(text);
    BucketCounts buckets = new BucketCounts(granularity);
    TreeMap<Long, Long> perGranule = new TreeMap<>();
    long[] all = new long[count];
    for (int i = 0; i < count; i++) {
      all[i] = times.getAsLong();
      buckets.add(all[i]);
      perGranule.merge(granularity.floor(all[i]), 1L, Long::sum);
    }

    BucketCounts.Sorted sorted = buckets.sorted();

    assertThat(sorted.perGranule(granularity).asMap()).isEqualTo(perGranule);
    TreeMap<Long, Long> perBucket = new TreeMap<>();
    Arrays.stream(all)
        .forEach(t -> perBucket.merge(Math.floorDiv(t, sorted.width()), 1L, Long::sum));
    assertThat(sorted.starts())
        .isEqualTo(perBucket.keySet().stream().mapToLong(b -> b * sorted.width()).toArray());
    assertThat(sorted.rows())
        .isEqualTo(perBucket.values().stream().mapToLong(Long::longValue).toArray());
  }
}
