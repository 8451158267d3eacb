package dev.tidemark.pinot.commit;

/** A commit could not be published. Nothing is lost: its segments stay staged. */
public final class PublishFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Fails with this reason. */
  public PublishFailedException(String message) {
    super(message);
  }

  /** Fails with this reason and cause. */
  public PublishFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
