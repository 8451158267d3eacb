package dev.tidemark.cli.serve;

import dev.tidemark.cli.store.Secrets;
import dev.tidemark.cli.store.StoreUnreachableException;
import dev.tidemark.cli.store.TableNotFoundException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a table: the newest view of it, and whether the last poll still got one.
 *
 * @param table the name as it was given
 * @param view what was read last; null if nothing ever was
 * @param failure why the last poll failed; null if it did not
 * @param polls how many polls there were
 * @param failures how many of them failed
 */
record Observation(
    String table, @Nullable TableView view, @Nullable Failure failure, long polls, long failures) {

  /**
   * A poll that failed.
   *
   * @param message in words for people, without secrets
   * @param kind what failed
   * @param nextPollAt when it is tried again
   */
  record Failure(String message, Kind kind, Instant nextPollAt) {
    /** What failed. */
    enum Kind {
      /** The store answered that there is no such table. */
      MISSING,
      /** The store did not answer, or does not since some time. */
      UNREACHABLE,
      /** The store answered, and the table cannot be read: no access, a newer format, a fault. */
      UNREADABLE
    }

    Failure {
      message = Secrets.hide(message);
    }

    static Failure of(Throwable cause, Instant nextPollAt) {
      String said = cause instanceof RuntimeException ? cause.getMessage() : null;
      return new Failure(said == null ? cause.toString() : said, kind(cause), nextPollAt);
    }

    private static Kind kind(Throwable cause) {
      if (cause instanceof TableNotFoundException) {
        return Kind.MISSING;
      }
      return cause instanceof StoreUnreachableException ? Kind.UNREACHABLE : Kind.UNREADABLE;
    }
  }

  static Observation none(String table) {
    return new Observation(table, null, null, 0, 0);
  }

  Observation read(TableView newView) {
    return new Observation(table, newView, null, polls + 1, failures);
  }

  Observation failed(Failure newFailure) {
    return new Observation(table, view, newFailure, polls + 1, failures + 1);
  }

  /** The same, of a table whose poll has not come back for too long. */
  Observation silent(Failure newFailure) {
    return new Observation(table, view, newFailure, polls, failures);
  }

  boolean isReachable() {
    return view != null && failure == null;
  }

  /** Changes whenever what is said of the table does. */
  String version() {
    return (view == null ? "none" : view.version()) + (failure == null ? "" : "-" + failure.kind());
  }
}
