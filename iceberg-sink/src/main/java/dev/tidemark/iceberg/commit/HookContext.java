package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.accumulator.AccumulatorFactory;
import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitHistory;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.commit.HookProperties;
import dev.tidemark.finalization.watermark.Outcome;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/** What the hooks see of one attempt. */
final class HookContext implements CommitContext<Table> {
  private final Table table;
  private final TableCommit commit;
  private final CommitHistory history;
  private final @Nullable Outcome outcome;
  private final HookProperties properties;

  HookContext(Table table, TableCommit commit, CommitHistory history, @Nullable Outcome outcome) {
    this.table = table;
    this.commit = commit;
    this.history = history;
    this.outcome = outcome;
    this.properties = new HookProperties(commit.engineProperties()::containsKey);
  }

  @Override
  public Table table() {
    return table;
  }

  @Override
  public long checkpointId() {
    return commit.identity().checkpointId();
  }

  @Override
  public CommitId commitId() {
    return commit.identity().id();
  }

  @Override
  public CommitHistory recentCommits() {
    return history;
  }

  @Override
  public <S> Optional<S> accumulated(AccumulatorFactory<?, S> factory) {
    return Optional.ofNullable(commit.counted().accumulated().get(factory.name()))
        .map(factory.codec()::decode);
  }

  @Override
  public Optional<Outcome> finalization() {
    return Optional.ofNullable(outcome);
  }

  @Override
  public void putProperty(String key, String value) {
    properties.put(key, value);
  }

  Map<String, String> properties() {
    return properties.asMap();
  }

  void markCommitted() {
    properties.markCommitted();
  }
}
