package dev.tidemark.cli.store;

import org.jspecify.annotations.Nullable;

/** The store answered, and has no such table. */
public final class TableNotFoundException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** With the store's own words as the cause. */
  public TableNotFoundException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
