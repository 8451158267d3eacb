package dev.tidemark.cli.serve;

import dev.tidemark.cli.answer.AnswerJson;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables that are served, by name, in the order given. Thread-safe. */
final class Tables {
  private final Map<String, TablePoller> pollers = new LinkedHashMap<>();
  private final Clock clock;

  Tables(List<TablePoller> pollers, Clock clock) {
    pollers.forEach(poller -> this.pollers.put(poller.latest().table(), poller));
    this.clock = clock;
  }

  List<Observation> all() {
    List<Observation> all = new ArrayList<>();
    pollers.values().forEach(poller -> all.add(poller.latest()));
    return all;
  }

  Instant now() {
    return clock.instant();
  }

  /**
   * The newest view of a table.
   *
   * @throws ProblemException if it is not served, not there, not read yet, or its store does not
   *     answer
   */
  TableView view(String name) {
    TablePoller poller = pollers.get(name);
    if (poller == null) {
      throw new ProblemException(404, "No such table", "Table " + name + " is not served here")
          .expected("one of " + pollers.keySet());
    }
    Observation table = poller.latest();
    Observation.Failure failure = table.failure();
    if (failure != null) {
      throw failed(table, failure);
    }
    TableView view = table.view();
    if (view == null) {
      throw new ProblemException(503, "Not read yet", "Table " + name + " was not read yet")
          .expected("try again in a second")
          .header("Retry-After", "1");
    }
    return view;
  }

  private ProblemException failed(Observation table, Observation.Failure failure) {
    if (failure.kind() == Observation.Failure.Kind.MISSING) {
      return new ProblemException(404, "No such table", failure.message())
          .expected("a table of the catalog; it is looked for again and again");
    }
    ProblemException problem =
        (failure.kind() == Observation.Failure.Kind.UNREACHABLE
                ? new ProblemException(503, "Store unreachable", failure.message())
                    .expected("the store to answer; lastKnown is what it said before, if it did")
                : new ProblemException(503, "Table not readable", failure.message())
                    .expected(
                        "a table that this server may and can read; lastKnown is what it said"
                            + " before, if it did"))
            .header("Retry-After", Long.toString(secondsUntil(failure.nextPollAt())));
    TableView last = table.view();
    return last == null ? problem : lastKnown(problem, last);
  }

  private ProblemException lastKnown(ProblemException problem, TableView last) {
    return problem
        .member("lastKnown", AnswerJson.of(last.table(), last.finalityAt(now())))
        .member("lastKnownAgeSeconds", Duration.between(last.readAt(), now()).toSeconds());
  }

  private long secondsUntil(@Nullable Instant time) {
    return time == null ? 1 : Math.max(1, Duration.between(now(), time).toSeconds() + 1);
  }
}
