package dev.tidemark.pinot.controller;

/** Pinot refused what was asked; asking again would not help. */
public final class PinotRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  /** Fails with this status and reason. */
  public PinotRefusedException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }
}
