package dev.tidemark.finalization.testing;

import java.util.Random;

/**
 * Random numbers that can be had again: the seed is fixed, printed by each test that draws from it,
 * and overridden by {@code -Dtidemark.test.seed=…}.
 */
public final class Seeds {
  /** The system property that overrides the seed. */
  public static final String PROPERTY = "tidemark.test.seed";

  private static final long DEFAULT = 20010110L;

  private Seeds() {}

  /** The seed of this run. */
  public static long seed() {
    return Long.getLong(PROPERTY, DEFAULT);
  }

  /** Numbers for one test: the same for one seed and subject, in whatever order tests run. */
  public static Random random(String subject) {
    System.out.println(subject + ": -D" + PROPERTY + "=" + seed());
    return new Random(seed() * 31 + subject.hashCode());
  }
}
