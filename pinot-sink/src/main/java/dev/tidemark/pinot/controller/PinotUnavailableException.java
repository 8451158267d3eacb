package dev.tidemark.pinot.controller;

/**
 * Pinot did not answer, or answered that it cannot now, for as long as the back-off allows. What
 * was asked may have happened or not; the same may be asked again.
 */
public final class PinotUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Fails with this reason and cause. */
  public PinotUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Fails with this reason. */
  public PinotUnavailableException(String message) {
    super(message);
  }
}
