package dev.tidemark.iceberg.commit;

import org.apache.iceberg.exceptions.CleanableFailure;

/** The table moved under a commit: what was decided no longer fits, and must be decided again. */
final class StaleTableException extends RuntimeException implements CleanableFailure {
  private static final long serialVersionUID = 1L;

  StaleTableException(String what) {
    super(what);
  }
}
