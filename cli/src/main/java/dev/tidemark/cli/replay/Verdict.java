package dev.tidemark.cli.replay;

/** What a search for a policy came to. */
public sealed interface Verdict {
  /**
   * One meets the budget, and met it on the half that was held out.
   *
   * @param candidate the freshest of those that met it, with confidence, on the earlier half
   */
  record Found(Candidate candidate) implements Verdict {}

  /**
   * The one chosen on the earlier half broke the budget on the later. Another that happens to meet
   * both would be chosen with hindsight.
   *
   * @param candidate the one that was chosen
   */
  record NotConfirmed(Candidate candidate) implements Verdict {}

  /**
   * None meets it.
   *
   * @param leastLate the one with the fewest late rows
   * @param freshest the freshest whose late rows are within the budget; the same where none is
   */
  record NoneMeets(Candidate leastLate, Candidate freshest) implements Verdict {}

  /**
   * There is too little history to tell.
   *
   * @param reason what is there, and what would be needed
   */
  record TooShort(String reason) implements Verdict {}
}
