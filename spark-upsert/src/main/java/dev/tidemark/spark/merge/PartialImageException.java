package dev.tidemark.spark.merge;

/** An update says nothing of some columns: the latest change alone is not the row. */
final class PartialImageException extends RuntimeException {
  /** Found again in the message, since Spark brings an executor's exception as text. */
  static final String MARK = "tidemark-partial-image";

  private static final long serialVersionUID = 1L;

  PartialImageException(String image) {
    super(MARK + ": an update leaves columns out: " + image);
  }

  /** Whether this is why a Spark job failed. */
  static boolean isCauseOf(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof PartialImageException
          || String.valueOf(cause.getMessage()).contains(MARK)) {
        return true;
      }
    }
    return false;
  }
}
