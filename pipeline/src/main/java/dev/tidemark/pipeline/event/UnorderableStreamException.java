package dev.tidemark.pipeline.event;

/** The stream is well-formed, yet its changes have no total order: a setting must change. */
public final class UnorderableStreamException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;

  public UnorderableStreamException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /** What cannot be ordered, and which setting to change. */
  public String reason() {
    return reason;
  }
}
