package dev.tidemark.cli;

/** How the process ends; scripts and sensors rely on these numbers. */
public enum ExitCode {
  /** Done; for a question, the answer is READY. */
  READY(0),
  /** Not complete yet, or nobody claims anything of it. */
  NOT_READY(1),
  /** The command was not understood, or names something that is not there. */
  USAGE(2),
  /** The store did not answer: try again. */
  UNREACHABLE(3),
  /** The table carries no finalization metadata. */
  NO_METADATA(4),
  /** Complete once, and revoked or reopened since. */
  CHANGED(5),
  /** A fault of this program: never to be taken for an answer. */
  FAULT(70),
  /** Not ready within the time that was given; as of {@code timeout(1)}. */
  TIMED_OUT(124);

  private final int status;

  ExitCode(int status) {
    this.status = status;
  }

  /** The exit status. */
  public int status() {
    return status;
  }
}
