package dev.tidemark.iceberg.catalog;

import org.apache.iceberg.exceptions.CleanableFailure;

/** The table moved under a commit that names the snapshot it was decided on. Decide again. */
public final class MovedTableException extends RuntimeException implements CleanableFailure {
  private static final long serialVersionUID = 1L;

  MovedTableException(String message) {
    super(message);
  }
}
