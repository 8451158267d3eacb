package dev.tidemark.pipeline.json;

/** Bytes that are no JSON, or JSON beyond the limits; the message says where. */
public final class MalformedJsonException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String path;

  MalformedJsonException(String path, String message) {
    super(message);
    this.path = path;
  }

  /** Where in the document, as {@code after.amount}; empty at the top. */
  public String path() {
    return path;
  }
}
