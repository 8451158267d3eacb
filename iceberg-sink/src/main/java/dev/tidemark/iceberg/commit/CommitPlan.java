package dev.tidemark.iceberg.commit;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.late.LateDataListener;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds every commit of a sink: where it goes, what it carries, who is asked before it and
 * told after it. Made by {@link #builder}; immutable.
 */
public final class CommitPlan implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String branch;
  private final boolean replacePartitions;
  private final HashMap<String, String> snapshotProperties;
  private final Accumulators<?> accumulators;
  private final @Nullable FinalizationConfig finalization;
  private final HashMap<String, String> eventTimeColumn;
  private final MirrorMode mirrorMode;

  @SuppressWarnings("serial")
  private final ArrayList<CommitProcessor<Table>> processors;

  @SuppressWarnings("serial")
  private final ArrayList<LateDataListener> lateListeners;

  private CommitPlan(Builder builder) {
    this.branch = builder.branch;
    this.replacePartitions = builder.replacePartitions;
    this.snapshotProperties = new HashMap<>(builder.snapshotProperties);
    this.accumulators = builder.accumulators;
    this.finalization = builder.finalization;
    this.eventTimeColumn = new HashMap<>(builder.eventTimeColumn);
    this.mirrorMode = builder.mirrorMode;
    this.processors = new ArrayList<>(builder.processors);
    this.lateListeners = new ArrayList<>(builder.lateListeners);
  }

  /** A plan that commits to main and carries nothing. */
  public static Builder builder() {
    return new Builder();
  }

  /** The branch that is committed to. */
  public String branch() {
    return branch;
  }

  boolean replacesPartitions() {
    return replacePartitions;
  }

  Map<String, String> snapshotProperties() {
    return snapshotProperties;
  }

  Accumulators<?> accumulators() {
    return accumulators;
  }

  @Nullable FinalizationConfig finalization() {
    return finalization;
  }

  Map<String, String> eventTimeColumn() {
    return eventTimeColumn;
  }

  MirrorMode mirrorMode() {
    return mirrorMode;
  }

  List<CommitProcessor<Table>> processors() {
    return processors;
  }

  List<LateDataListener> lateListeners() {
    return lateListeners;
  }

  /** Sets what differs from the defaults. Not thread-safe. */
  public static final class Builder {
    private String branch = SnapshotRef.MAIN_BRANCH;
    private boolean replacePartitions;
    private Map<String, String> snapshotProperties = Map.of();
    private Accumulators<?> accumulators = new Accumulators<>(List.of());
    private @Nullable FinalizationConfig finalization;
    private Map<String, String> eventTimeColumn = Map.of();
    private MirrorMode mirrorMode = MirrorMode.SAME_COMMIT;
    private List<CommitProcessor<Table>> processors = List.of();
    private List<LateDataListener> lateListeners = List.of();

    private Builder() {}

    /** The branch that is committed to; main by default. */
    public Builder branch(String newBranch) {
      this.branch = Objects.requireNonNull(newBranch, "branch is null");
      return this;
    }

    /** Whether a commit replaces the partitions that it has rows for. */
    public Builder replacePartitions(boolean replaces) {
      this.replacePartitions = replaces;
      return this;
    }

    /** Static summary properties. */
    public Builder snapshotProperties(Map<String, String> properties) {
      this.snapshotProperties = Map.copyOf(properties);
      return this;
    }

    /** What the writers count. */
    public Builder accumulators(Accumulators<?> newAccumulators) {
      this.accumulators = Objects.requireNonNull(newAccumulators, "accumulators is null");
      return this;
    }

    /** How the opinion is formed; without it commits carry facts alone. */
    public Builder finalization(@Nullable FinalizationConfig config) {
      this.finalization = config;
      return this;
    }

    /** Properties that tell readers which column holds the event time. */
    public Builder eventTimeColumn(Map<String, String> properties) {
      this.eventTimeColumn = Map.copyOf(properties);
      return this;
    }

    /** When the mirror is written; in the same commit by default. */
    public Builder mirrorMode(MirrorMode mode) {
      this.mirrorMode = Objects.requireNonNull(mode, "mode is null");
      return this;
    }

    /** Hooks around each commit, in this order. */
    public Builder processors(List<? extends CommitProcessor<Table>> newProcessors) {
      this.processors = List.copyOf(newProcessors);
      return this;
    }

    /** Who hears of late rows. */
    public Builder lateListeners(List<? extends LateDataListener> listeners) {
      this.lateListeners = List.copyOf(listeners);
      return this;
    }

    /** The plan. */
    public CommitPlan build() {
      return new CommitPlan(this);
    }
  }
}
