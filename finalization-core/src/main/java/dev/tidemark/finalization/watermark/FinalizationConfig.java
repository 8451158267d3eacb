package dev.tidemark.finalization.watermark;

import dev.tidemark.finalization.granule.Granularity;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How one writer's facts become its opinion. Made by {@link #forWriter}; immutable and thread-safe.
 */
public final class FinalizationConfig implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final Pattern WRITER_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** What a source partition that has nothing to read means to an estimate. */
  public enum IdleRule {
    /** It stands at its end offset: it is waited for no longer. */
    PASS,
    /** It may still bring old events: hold, and name it. */
    HOLD
  }

  private final String writer;
  private final String policy;
  private final int lookbackCommits;
  private final Duration lookbackSpan;
  private final String granularity;
  private final IdleRule idleRule;
  private final @Nullable Duration idleTimeout;
  private final @Nullable Instant readFrom;
  private final boolean bootstrapPending;
  private final boolean coverageExpected;

  private FinalizationConfig(Builder builder) {
    this.writer = builder.writer;
    this.policy = builder.policy.toString();
    this.lookbackCommits = builder.lookbackCommits;
    this.lookbackSpan = builder.lookbackSpan;
    this.granularity = builder.granularity.toString();
    this.idleRule = builder.idleRule;
    this.idleTimeout = builder.idleTimeout;
    this.readFrom = builder.readFrom;
    this.bootstrapPending = builder.bootstrapPending;
    this.coverageExpected = builder.coverageExpected;
  }

  /**
   * Starts a configuration with the defaults: policy {@code min} over 6 commits and 30 minutes, UTC
   * hours.
   *
   * @param writer the stable name of this writer, which outlives resubmission: 1 to 64 letters,
   *     digits, dots, dashes and underscores; unique among the jobs that write the table
   */
  public static Builder forWriter(String writer) {
    return new Builder(writer);
  }

  /** The stable name of this writer. */
  public String writer() {
    return writer;
  }

  /** How facts become a candidate. */
  public FinalizationPolicy policy() {
    return FinalizationPolicy.parse(policy);
  }

  /** How many commits the window must hold. */
  public int lookbackCommits() {
    return lookbackCommits;
  }

  /** How much commit time the window must span. */
  public Duration lookbackSpan() {
    return lookbackSpan;
  }

  /** The slices of time that become final. */
  public Granularity granularity() {
    return Granularity.parse(granularity);
  }

  /** What an idle source partition means to an estimate. */
  public IdleRule idleRule() {
    return idleRule;
  }

  /** After how much silence of a source that stands at its ends time goes on; null for never. */
  public @Nullable Duration idleTimeout() {
    return idleTimeout;
  }

  /** The declared start of what is read; null to infer it from the first commit. */
  public @Nullable Instant readFrom() {
    return readFrom;
  }

  /** Whether a bootstrap runs beside the stream when this writer registers. */
  public boolean bootstrapPending() {
    return bootstrapPending;
  }

  /** Whether every commit brings coverage of the source. */
  public boolean coverageExpected() {
    return coverageExpected;
  }

  /** The policy, window and granule in one line, as stores keep it. */
  public PolicyText policyText() {
    return new PolicyText(policy(), lookbackCommits, lookbackSpan, granularity());
  }

  /** Sets what differs from the defaults. Not thread-safe. */
  public static final class Builder {
    private final String writer;
    private FinalizationPolicy policy = FinalizationPolicy.MIN;
    private int lookbackCommits = 6;
    private Duration lookbackSpan = Duration.ofMinutes(30);
    private Granularity granularity = Granularity.HOUR;
    private IdleRule idleRule = IdleRule.PASS;
    private @Nullable Duration idleTimeout;
    private @Nullable Instant readFrom;
    private boolean bootstrapPending;
    private boolean coverageExpected;

    private Builder(String writer) {
      if (!WRITER_NAME.matcher(writer).matches()) {
        throw new IllegalArgumentException(
            "Invalid writer name: \""
                + writer
                + "\" (expected: 1 to 64 letters, digits, dots, dashes and underscores)");
      }
      this.writer = writer;
    }

    /** How facts become a candidate; {@code min} by default. */
    public Builder policy(FinalizationPolicy newPolicy) {
      this.policy = Objects.requireNonNull(newPolicy, "policy is null");
      return this;
    }

    /**
     * The window: at least so many commits with stream records and at least so much commit time.
     *
     * @param commits at least 1; 6 by default
     * @param span zero or positive; 30 minutes by default. A replay of history sets zero
     */
    public Builder lookback(int commits, Duration span) {
      if (commits < 1 || span.isNegative()) {
        throw new IllegalArgumentException(
            "Invalid lookback: "
                + commits
                + " commits, "
                + span
                + " (expected: at least 1 commit and a span of zero or more)");
      }
      this.lookbackCommits = commits;
      this.lookbackSpan = span;
      return this;
    }

    /** The slices of time that become final; UTC hours by default. */
    public Builder granularity(Granularity newGranularity) {
      this.granularity = Objects.requireNonNull(newGranularity, "granularity is null");
      return this;
    }

    /** What an idle partition means to an estimate; {@link IdleRule#PASS} by default. */
    public Builder idleRule(IdleRule rule) {
      this.idleRule = Objects.requireNonNull(rule, "rule is null");
      return this;
    }

    /**
     * Lets time go on, to the sample less this timeout, once a source that stands at all its ends
     * was silent for so long. Off by default; needs coverage.
     */
    public Builder idleTimeout(Duration timeout) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException(
            "Invalid idle timeout: " + timeout + " (expected: more than zero)");
      }
      this.idleTimeout = timeout;
      return this;
    }

    /**
     * Declares that every event at or after this time is read; granules before it stay unclaimed.
     * Without it the first commit's latest event time decides.
     */
    public Builder readFrom(Instant start) {
      this.readFrom = Objects.requireNonNull(start, "start is null");
      return this;
    }

    /** Declares that the source is read from its very beginning: the opinion has no lower end. */
    public Builder readFromBeginning() {
      return readFrom(Instant.EPOCH);
    }

    /** Declares that a bootstrap runs beside the stream: a durable hold until it is completed. */
    public Builder bootstrapPending() {
      this.bootstrapPending = true;
      return this;
    }

    /** Declares that every commit brings coverage of the source. */
    public Builder coverageExpected() {
      this.coverageExpected = true;
      return this;
    }

    /**
     * @throws IllegalArgumentException if two settings contradict each other
     */
    public FinalizationConfig build() {
      if (policy instanceof FinalizationPolicy.SourcePromise && !coverageExpected) {
        throw new IllegalArgumentException(
            "Invalid policy: source-promise without coverage (expected: a source that reports"
                + " coverage; switch it on, or take the policy min)");
      }
      if (idleTimeout != null && !coverageExpected) {
        throw new IllegalArgumentException(
            "Invalid idle timeout: "
                + idleTimeout
                + " without coverage (expected: a source that reports coverage, since silence alone"
                + " proves nothing)");
      }
      return new FinalizationConfig(this);
    }
  }
}
