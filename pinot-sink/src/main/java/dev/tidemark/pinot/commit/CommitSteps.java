package dev.tidemark.pinot.commit;

/** Sees a commit go by. Tests let it crash at a step. */
@FunctionalInterface
interface CommitSteps {
  /** Nobody looks. */
  CommitSteps UNSEEN = step -> {};

  /** Called before a step; PUSH comes before each push. */
  void before(CommitStep step);
}
