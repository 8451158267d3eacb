package dev.tidemark.spark.cutover;

/**
 * One point of the checklist.
 *
 * @param name what is asked
 * @param why what the answer rests on, or what to do
 */
public record Check(String name, Verdict verdict, String why) {

  /** The answer. */
  public enum Verdict {
    PASS,
    FAIL,
    /** Nobody could tell: as good as a failure until somebody has looked. */
    UNKNOWN
  }

  static Check pass(String name, String why) {
    return new Check(name, Verdict.PASS, why);
  }

  static Check fail(String name, String why) {
    return new Check(name, Verdict.FAIL, why);
  }

  static Check unknown(String name, String why) {
    return new Check(name, Verdict.UNKNOWN, why);
  }

  static Check of(String name, boolean passes, String why) {
    return passes ? pass(name, why) : fail(name, why);
  }

  /** {@code PASS bootstrap loaded at …}. */
  @Override
  public String toString() {
    return "%-8s %-22s %s".formatted(verdict, name, why);
  }
}
