package dev.tidemark.cli.store;

import org.jspecify.annotations.Nullable;

/** A store did not answer, or not sensibly. Trying again may help. */
public final class StoreUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With the store's own words as the cause, whose secrets are not repeated. */
  public StoreUnreachableException(String message, @Nullable Throwable cause) {
    super(Secrets.hide(message), cause);
  }
}
