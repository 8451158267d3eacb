package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitHistory;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the hooks see of one attempt. */
final class PinotHookContext implements CommitContext<PinotTableHandle> {
  private final PinotTableHandle table;
  private final PinotCommit commit;
  private final CommitHistory history;
  private final @Nullable Outcome outcome;
  private final Map<String, String> properties = new LinkedHashMap<>();
  private boolean committed;

  PinotHookContext(
      PinotTableHandle table,
      PinotCommit commit,
      CommitHistory history,
      @Nullable Outcome outcome) {
    this.table = table;
    this.commit = commit;
    this.history = history;
    this.outcome = outcome;
  }

  @Override
  public PinotTableHandle table() {
    return table;
  }

  @Override
  public long checkpointId() {
    return commit.checkpointId();
  }

  @Override
  public CommitId commitId() {
    return commit.id();
  }

  @Override
  public CommitHistory recentCommits() {
    return history;
  }

  @Override
  public <S> Optional<S> accumulated(AccumulatorFactory<?, S> factory) {
    return Optional.ofNullable(commit.accumulated().get(factory.name()))
        .map(factory.codec()::decode);
  }

  @Override
  public Optional<Outcome> finalization() {
    return Optional.ofNullable(outcome);
  }

  @Override
  public void putProperty(String key, String value) {
    if (committed) {
      throw new IllegalStateException(
          "Cannot put property " + key + ": the commit is done (expected: a call in preCommit)");
    }
    if (key.startsWith(FinalizationProperties.PREFIX)) {
      throw new IllegalArgumentException(
          "Cannot put property "
              + key
              + ": it belongs to the sink (expected: a namespace of your own)");
    }
    properties.put(key, value);
  }

  Map<String, String> properties() {
    return properties;
  }

  void markCommitted() {
    committed = true;
  }
}
