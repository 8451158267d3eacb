package dev.tidemark.cli.serve;

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
   * @param message in words for people
   * @param isMissing whether the store answered that there is no such table
   * @param nextPollAt when it is tried again
   */
  record Failure(String message, boolean isMissing, Instant nextPollAt) {}

  static Observation none(String table) {
    return new Observation(table, null, null, 0, 0);
  }

  Observation read(TableView newView) {
    return new Observation(table, newView, null, polls + 1, failures);
  }

  Observation failed(Failure newFailure) {
    return new Observation(table, view, newFailure, polls + 1, failures + 1);
  }

  boolean isReachable() {
    return view != null && failure == null;
  }

  /** Changes whenever what is said of the table does. */
  String version() {
    return (view == null ? "none" : view.version()) + (failure == null ? "" : "-unreachable");
  }
}
