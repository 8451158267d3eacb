package dev.tidemark.cli.serve;

import dev.tidemark.cli.answer.DurationText;
import dev.tidemark.cli.answer.Question;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request, read strictly: what is not understood is a problem that says what
 * was expected.
 *
 * @param parameters by name
 * @param known the entity tags that the client has
 */
record Query(Map<String, String> parameters, EntityTag.Known known) {
  /** The longest wait: proxies commonly give up after a minute. */
  static final Duration MAX_WAIT = Duration.ofSeconds(60);

  Query {
    parameters = Map.copyOf(parameters);
  }

  /** Refuses parameters that the resource does not have. */
  void allow(String... names) {
    Set<String> unknown = new TreeSet<>(parameters.keySet());
    Set<String> allowed = new TreeSet<>(Set.of(names));
    unknown.removeAll(allowed);
    if (!unknown.isEmpty()) {
      throw ProblemException.invalid("Unknown parameters: " + unknown)
          .expected(allowed.isEmpty() ? "no parameters" : "of " + allowed);
    }
  }

  boolean has(String name) {
    return parameters.containsKey(name);
  }

  /** How long to wait for another answer; zero by default. */
  Duration waiting() {
    String text = parameters.get("wait");
    if (text == null) {
      return Duration.ZERO;
    }
    Duration duration = DurationText.parse(text);
    if (duration == null || duration.compareTo(MAX_WAIT) > 0) {
      throw ProblemException.invalid("Invalid wait: \"" + text + '"')
          .expected("such as 30s, 500ms, 1m or PT30S; at most " + MAX_WAIT.toSeconds() + "s");
    }
    return duration;
  }

  /** The zone of days and hours; UTC by default. */
  ZoneId zone() {
    String text = parameters.get("zone");
    try {
      return text == null ? ZoneOffset.UTC : ZoneId.of(text);
    } catch (DateTimeException e) {
      throw ProblemException.invalid("Invalid zone: \"" + text + '"')
          .expected("such as UTC, Asia/Seoul or +09:00");
    }
  }

  /** A span of event time; null if the parameter is not there. */
  @Nullable Question question(String name) {
    String text = parameters.get(name);
    try {
      return text == null ? null : Question.parse(text, zone());
    } catch (IllegalArgumentException e) {
      throw ProblemException.invalid("Invalid " + name + ": \"" + text + '"')
          .expected("a day 2026-01-01, an hour 2026-01-01T10, or an instant 2026-01-01T10:15:00Z");
    }
  }

  /** A whole number, zero or greater; null if the parameter is not there. */
  @Nullable Integer number(String name) {
    String text = parameters.get(name);
    if (text == null) {
      return null;
    }
    if (!text.matches("\\d{1,9}")) {
      throw ProblemException.invalid("Invalid " + name + ": \"" + text + '"')
          .expected("a whole number, 0 or greater");
    }
    return Integer.valueOf(text);
  }
}
