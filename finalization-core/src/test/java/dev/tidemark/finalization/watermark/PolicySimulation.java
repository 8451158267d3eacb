package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.eventtime.EventTimeAccumulator;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.late.LateDataReport;
import dev.tidemark.finalization.testing.TestingClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose truth is known: events arrive at a steady rate, each after a lognormal lag, one in
 * a thousand after a Pareto lag of minutes to hours; every five minutes what has arrived is
 * committed. Played once, then decided under any policy.
 */
public final class PolicySimulation {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  /** Commits before the lag is measured: the first day, so that every window is warm. */
  private static final int WARM = 288;

  private static final long COMMIT_MILLIS = Duration.ofMinutes(5).toMillis();

  /**
   * The settings.
   *
   * @param days how long the stream runs
   * @param recordsPerCommit the rate
   * @param medianLagMillis median of the lognormal lag
   * @param sigma its shape
   * @param paretoShare share of records with a Pareto lag
   * @param paretoLeastMillis the least such lag
   * @param paretoShape its tail index
   */
  public record Settings(
      int days,
      int recordsPerCommit,
      long medianLagMillis,
      double sigma,
      double paretoShare,
      long paretoLeastMillis,
      double paretoShape) {
    /** Three days, 20,000 records every five minutes. */
    public static final Settings DEFAULT = new Settings(3, 20_000, 20_000, 1.0, 0.001, 60_000, 1.1);

    /** The same at another rate. */
    public Settings withRecordsPerCommit(int records) {
      return new Settings(
          days, records, medianLagMillis, sigma, paretoShare, paretoLeastMillis, paretoShape);
    }

    int commits() {
      return (int) (Duration.ofDays(days).toMillis() / COMMIT_MILLIS);
    }
  }

  /**
   * What a policy made of the stream.
   *
   * @param policy the policy and window
   * @param records all records
   * @param late those that came after their hour was final
   * @param meanLagMinutes how far the watermark was behind the commit time, on average after the
   *     first day
   */
  public record Result(PolicyText policy, long records, long late, double meanLagMinutes) {
    /** Late records among all. */
    public double lateShare() {
      return (double) late / records;
    }
  }

  private final List<EventTimeFacts> commits;
  private final long records;

  /** Plays a stream. */
  public PolicySimulation(Settings settings, Random random) {
    long[][] arrivals = arrivals(settings, random);
    TestingClock clock = new TestingClock(START);
    EventTimeAccumulator<Long> accumulator =
        new EventTimeAccumulator<>(time -> time, Granularity.HOUR, EventTimeBounds.DEFAULT, clock);
    List<EventTimeFacts> facts = new ArrayList<>();
    long count = 0;
    for (int commit = 0; commit < arrivals.length; commit++) {
      clock.set(Instant.ofEpochMilli(commitTime(commit)));
      for (long time : arrivals[commit]) {
        accumulator.add(time);
      }
      count += arrivals[commit].length;
      facts.add(accumulator.snapshot());
      accumulator.reset();
    }
    this.commits = List.copyOf(facts);
    this.records = count;
  }

  /** Decides what was played under this configuration. */
  public Result play(FinalizationConfig config) {
    FinalizationEngine engine = new FinalizationEngine(config);
    @Nullable Opinion truth = null;
    @Nullable Long parent = null;
    long late = 0;
    double lag = 0;
    long known = 0;
    for (int commit = 0; commit < commits.size(); commit++) {
      long now = commitTime(commit);
      Outcome outcome =
          engine.decide(
              new Situation(
                  truth,
                  commits.get(commit),
                  null,
                  new Situation.CommitClock(now, parent),
                  Situation.Signals.NONE));
      for (LateDataReport report : outcome.late()) {
        late += report.rows().total();
      }
      truth = outcome.opinion();
      parent = now;
      Long watermark = truth.watermarkMillis();
      if (watermark != null && commit >= WARM) {
        lag += (now - watermark) / 60_000.0;
        known++;
      }
    }
    return new Result(config.policyText(), records, late, known == 0 ? Double.NaN : lag / known);
  }

  /** The facts of each commit, with the rows of each granule: the truth. */
  public List<EventTimeFacts> commits() {
    return commits;
  }

  /** When a commit is made, counted from 0; epoch milliseconds. */
  public static long commitTime(int commit) {
    return START.toEpochMilli() + (commit + 1) * COMMIT_MILLIS;
  }

  /** Event times by the commit in which they arrive; what arrives after the end never does. */
  private static long[][] arrivals(Settings settings, Random random) {
    int commits = settings.commits();
    long[][] arrivals = new long[commits][settings.recordsPerCommit()];
    int[] sizes = new int[commits];
    long total = (long) commits * settings.recordsPerCommit();
    for (long i = 0; i < total; i++) {
      long offset = (long) (i * (double) COMMIT_MILLIS / settings.recordsPerCommit());
      long commit = (offset + lag(settings, random)) / COMMIT_MILLIS;
      if (commit < commits) {
        int at = (int) commit;
        if (sizes[at] == arrivals[at].length) {
          arrivals[at] = Arrays.copyOf(arrivals[at], sizes[at] * 2);
        }
        arrivals[at][sizes[at]++] = START.toEpochMilli() + offset;
      }
    }
    for (int commit = 0; commit < commits; commit++) {
      arrivals[commit] = Arrays.copyOf(arrivals[commit], sizes[commit]);
    }
    return arrivals;
  }

  private static long lag(Settings settings, Random random) {
    if (random.nextDouble() < settings.paretoShare()) {
      return (long)
          (settings.paretoLeastMillis()
              * Math.pow(1 - random.nextDouble(), -1 / settings.paretoShape()));
    }
    return (long) (settings.medianLagMillis() * Math.exp(settings.sigma() * random.nextGaussian()));
  }
}
