package dev.tidemark.pinot;

import java.util.Collection;
import java.util.regex.Pattern;

/**
 * Tells by their names which segments a run has made: its id, followed by epoch, subtask and
 * sequence. Immutable and thread-safe.
 */
public final class RunSegments {
  private final Pattern pattern;

  /** The segments of a run. */
  public RunSegments(String runId) {
    this.pattern = Pattern.compile("(^|_)" + Pattern.quote(runId) + "_\\d+_\\d+_\\d+(_|$)");
  }

  /** Whether the run has made a segment of this name. */
  public boolean isOne(String name) {
    return pattern.matcher(name).find();
  }

  /** How many of these names the run has made. */
  public long count(Collection<String> names) {
    return names.stream().filter(this::isOne).count();
  }
}
