package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.accumulator.Accumulators;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.late.LateDataListener;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerSettings;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds every commit of a sink: where it goes, how it gets there, what it carries, who is
 * asked before it and told after it. Made by {@link #builder}; immutable. A job graph carries it.
 */
public final class PinotPlan implements Serializable {
  private static final long serialVersionUID = 1L;

  private final PinotTable table;
  private final ControllerSettings controller;
  private final Upload upload;
  private final ReplacedSegments replaced;
  private final TieRule tieRule;
  private final MirrorWrite mirrorWrite;
  private final @Nullable PartitionProof partitionProof;
  private final @Nullable Integer partitions;
  private final Accumulators<?> accumulators;
  private final @Nullable FinalizationConfig finalization;
  private final boolean inputIsComplete;
  private final @Nullable OpinionSource opinionSource;

  @SuppressWarnings("serial")
  private final ArrayList<CommitProcessor<PinotTableHandle>> processors;

  @SuppressWarnings("serial")
  private final ArrayList<LateDataListener> lateListeners;

  /**
   * How segments get to Pinot.
   *
   * @param mode through the controller whole, or by metadata
   * @param groupSize how many segments of a REALTIME table are pushed before all of them are waited
   *     for; also how many one METADATA request holds. Positive
   * @param timeout how long one commit may take in all, whatever its number of segments: looking it
   *     up, uploads with their retries, waiting for replicas and brokers, the mirror. Past it the
   *     commit fails, the job is restored, and the next delivery goes on where this one was. Flink
   *     commits on the task's own thread, where a checkpoint cannot begin meanwhile: keep it well
   *     below the checkpoint timeout (10 minutes by Flink's default). Hooks are not bounded by it
   * @param deletesStaged whether the staged files of a commit are removed once it is seen in Pinot
   */
  public record Upload(PushMode mode, int groupSize, Duration timeout, boolean deletesStaged)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Whole tars, 20 at a time, five minutes, staged files removed. */
    public static final Upload DEFAULT = new Upload(PushMode.TAR, 20, Duration.ofMinutes(5), true);

    public Upload {
      Objects.requireNonNull(mode, "mode is null");
      if (groupSize < 1 || timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException(
            "Invalid upload: groups of "
                + groupSize
                + ", timeout "
                + timeout
                + " (expected: at least 1, and more than zero)");
      }
    }
  }

  private PinotPlan(Builder builder) {
    this.table = builder.table;
    this.controller = builder.controller;
    this.upload = builder.upload;
    this.replaced = builder.replaced;
    this.tieRule = builder.tieRule;
    this.mirrorWrite = builder.mirrorWrite;
    this.partitionProof = builder.partitionProof;
    this.partitions = builder.partitions;
    this.accumulators = builder.accumulators;
    this.finalization = builder.finalization;
    this.inputIsComplete = builder.inputIsComplete;
    this.opinionSource = builder.opinionSource;
    this.processors = new ArrayList<>(builder.processors);
    this.lateListeners = new ArrayList<>(builder.lateListeners);
  }

  /** A plan that publishes to a table and carries nothing. */
  public static Builder builder(PinotTable table, ControllerSettings controller) {
    return new Builder(table, controller);
  }

  /** The table. */
  public PinotTable table() {
    return table;
  }

  /** How Pinot is reached. */
  public ControllerSettings controller() {
    return controller;
  }

  /** Who wins a tie: the writers stamp their segments by it, with {@link CreationTimes}. */
  public TieRule tieRule() {
    return tieRule;
  }

  Upload upload() {
    return upload;
  }

  ReplacedSegments replaced() {
    return replaced;
  }

  MirrorWrite mirrorWrite() {
    return mirrorWrite;
  }

  @Nullable PartitionProof partitionProof() {
    return partitionProof;
  }

  @Nullable Integer partitions() {
    return partitions;
  }

  Accumulators<?> accumulators() {
    return accumulators;
  }

  @Nullable FinalizationConfig finalization() {
    return finalization;
  }

  boolean inputIsComplete() {
    return inputIsComplete;
  }

  @Nullable OpinionSource opinionSource() {
    return opinionSource;
  }

  List<CommitProcessor<PinotTableHandle>> processors() {
    return processors;
  }

  List<LateDataListener> lateListeners() {
    return lateListeners;
  }

  /** Sets what differs from the defaults. Not thread-safe. */
  public static final class Builder {
    private final PinotTable table;
    private final ControllerSettings controller;
    private Upload upload = Upload.DEFAULT;
    private ReplacedSegments replaced = ReplacedSegments.none();
    private TieRule tieRule = TieRule.STREAM_WINS;
    private MirrorWrite mirrorWrite = MirrorWrite.TABLE_CONFIG;
    private @Nullable PartitionProof partitionProof;
    private @Nullable Integer partitions;
    private Accumulators<?> accumulators = new Accumulators<>(List.of());
    private @Nullable FinalizationConfig finalization;
    private boolean inputIsComplete;
    private @Nullable OpinionSource opinionSource;
    private List<CommitProcessor<PinotTableHandle>> processors = List.of();
    private List<LateDataListener> lateListeners = List.of();

    private Builder(PinotTable table, ControllerSettings controller) {
      this.table = Objects.requireNonNull(table, "table is null");
      this.controller = Objects.requireNonNull(controller, "controller is null");
    }

    /** How segments get to Pinot; {@link Upload#DEFAULT} by default. */
    public Builder upload(Upload newUpload) {
      this.upload = Objects.requireNonNull(newUpload, "upload is null");
      return this;
    }

    /** Which segments of others are replaced; none by default. Refused on a table with upsert. */
    public Builder replaced(ReplacedSegments newReplaced) {
      this.replaced = Objects.requireNonNull(newReplaced, "replaced is null");
      return this;
    }

    /** Who wins a tie on a table with upsert; the stream by default. */
    public Builder tieRule(TieRule newRule) {
      this.tieRule = Objects.requireNonNull(newRule, "tieRule is null");
      return this;
    }

    /** How the table config is changed; through the table's endpoint by default. */
    public Builder mirrorWrite(MirrorWrite newWrite) {
      this.mirrorWrite = Objects.requireNonNull(newWrite, "mirrorWrite is null");
      return this;
    }

    /**
     * How a table with upsert is shown to be partitioned as the run's segments are. Without it
     * nothing is checked but the number of partitions.
     */
    public Builder partitionProof(PartitionProof proof) {
      this.partitionProof = Objects.requireNonNull(proof, "proof is null");
      return this;
    }

    /** How many partitions the run's segments are split by; not checked by default. */
    public Builder partitions(int count) {
      if (count < 1) {
        throw new IllegalArgumentException(
            "Invalid partition count: " + count + " (expected: >= 1)");
      }
      this.partitions = count;
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

    /**
     * Declares that the end of the input is the end of the data: the watermark then reaches over
     * its last event. Not by default.
     */
    public Builder inputIsComplete(boolean complete) {
      this.inputIsComplete = complete;
      return this;
    }

    /** Carries an opinion over instead of forming one; needs {@link #finalization} for its name. */
    public Builder opinionSource(OpinionSource source) {
      this.opinionSource = Objects.requireNonNull(source, "source is null");
      return this;
    }

    /** Hooks around each commit, in this order. */
    public Builder processors(List<? extends CommitProcessor<PinotTableHandle>> newProcessors) {
      this.processors = List.copyOf(newProcessors);
      return this;
    }

    /** Who hears of late rows. */
    public Builder lateListeners(List<? extends LateDataListener> listeners) {
      this.lateListeners = List.copyOf(listeners);
      return this;
    }

    /**
     * @throws IllegalArgumentException if two settings contradict each other
     */
    public PinotPlan build() {
      if (opinionSource != null && finalization == null) {
        throw new IllegalArgumentException(
            "Invalid plan for "
                + table
                + ": an opinion source without finalization (expected: both, since the writer's"
                + " name comes from finalization)");
      }
      return new PinotPlan(this);
    }
  }
}
