package dev.tidemark.finalization.commit;

/** A pre-commit hook refused a commit. The message is the reason that an operator reads. */
public final class CommitAbortedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Refuses for this reason. */
  public CommitAbortedException(String reason) {
    super(reason);
  }

  /** Refuses for this reason and cause. */
  public CommitAbortedException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
