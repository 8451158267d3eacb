package dev.tidemark.spark.merge;

import dev.tidemark.spark.table.TableName;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Some ledgers of a run could not be merged; all others were, but for those that were not tried
 * because what failed one would have failed all. Nothing is lost: the changes of the failed ones
 * are in their ledgers, their places in the state of the base table are as before, and they hold
 * its watermark until a run brings them. The cause is the first failure; those after it are
 * suppressed.
 */
public final class MergeFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Map<TableName, MergeOutcome> outcomes;
  private final transient Map<TableName, Throwable> failures;
  private final transient List<TableName> notTried;

  MergeFailedException(
      MergeRequest request,
      Map<TableName, MergeOutcome> outcomes,
      Map<TableName, Throwable> failures) {
    super(message(request.base(), outcomes, failures), failures.values().iterator().next());
    this.outcomes = Collections.unmodifiableMap(new LinkedHashMap<>(outcomes));
    this.failures = Collections.unmodifiableMap(new LinkedHashMap<>(failures));
    this.notTried =
        request.ledgers().stream()
            .filter(ledger -> !outcomes.containsKey(ledger) && !failures.containsKey(ledger))
            .toList();
    failures.values().stream().skip(1).forEach(this::addSuppressed);
  }

  private static String message(
      TableName base, Map<TableName, MergeOutcome> outcomes, Map<TableName, Throwable> failures) {
    return failures.entrySet().stream()
        .map(e -> e.getKey() + ": " + e.getValue().getMessage())
        .collect(
            Collectors.joining(
                "; ",
                "Cannot merge into " + base + ": ",
                outcomes.isEmpty() ? "" : " (merged all the same: " + outcomes.keySet() + ")"));
  }

  /** What happened to the ledgers that did not fail, in the order of the request. */
  public Map<TableName, MergeOutcome> outcomes() {
    return outcomes;
  }

  /** Why the others failed, in the order of the request; at least one. */
  public Map<TableName, Throwable> failures() {
    return failures;
  }

  /** Those after a failure that ended the run, in the order of the request. */
  public List<TableName> notTried() {
    return notTried;
  }
}
