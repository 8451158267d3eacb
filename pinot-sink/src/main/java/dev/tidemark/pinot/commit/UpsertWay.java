package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.segment.StagedSegment;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to a REALTIME table with full upsert: segments are pushed in bounded groups, each of
 * which is waited for, and show as they are loaded. Never through lineage, which would let keys
 * vanish meanwhile. The commit counts once its carrier is marked, as the last step.
 */
final class UpsertWay implements Way {
  private static final Logger LOG = LoggerFactory.getLogger(UpsertWay.class);

  private final PinotTable table;
  private final ControllerClient controller;
  private final int groupSize;
  private final Pusher pusher;
  private final Served served;
  private final RunLedger ledger;
  private final CommitSteps steps;
  private final TieRule tieRule;
  private CommitRecord.@Nullable RunRef toldOf;

  UpsertWay(
      PinotPlan plan,
      ControllerClient controller,
      Pusher pusher,
      Served served,
      RunLedger ledger,
      CommitSteps steps) {
    this.table = plan.table();
    this.controller = controller;
    this.groupSize = plan.upload().groupSize();
    this.pusher = pusher;
    this.served = served;
    this.ledger = ledger;
    this.steps = steps;
    this.tieRule = plan.tieRule();
  }

  @Override
  public Found find(Parts parts) {
    parts.segments().forEach(this::checkPartition);
    CommitId id = parts.commit().id();
    Present there = pusher.there(parts.segments());
    Optional<String> carrier = there.carrierOf(id);
    boolean marked =
        carrier
            .map(name -> there.segments().get(name))
            .flatMap(info -> CommitRecord.read(info.customMap()))
            .isPresent();
    if (marked) {
      return new Found.Done("its carrier says so", carrier.get());
    }
    return there.isEmpty() && ledger.wasCommitted(parts.commit())
        ? new Found.Done("the ledger says so; its segments are gone since", null)
        : new Found.Fresh(there.notOf(id));
  }

  @Override
  public Set<String> replaces(Parts parts, Found found) {
    tellLeftBehind(parts.commit());
    return Set.of();
  }

  @Override
  public void withdraw(Set<String> names) {
    throw new IllegalStateException(
        "Cannot withdraw segments of " + table + " (expected: a table without upsert)");
  }

  /** Keys would vanish if they were replaced, so it is said, once for each restore. */
  private void tellLeftBehind(PinotCommit commit) {
    CommitRecord.RunRef run = CommitRecord.RunRef.of(commit.run());
    if (run.restoreEpoch() == 0 || run.equals(toldOf)) {
      return;
    }
    toldOf = run;
    Rewound rewound = new Rewound(commit);
    List<String> left =
        controller.allSegments(table).values().stream()
            .filter(rewound::isOne)
            .map(SegmentInfo::name)
            .toList();
    if (!left.isEmpty()) {
      LOG.warn(
          "Run {} was wound back and leaves {} segments in {}, which has upsert: {}. A row of theirs"
              + " stays until one of the same key comes that is as new or newer; if the run does not"
              + " bring the same keys again, delete those segments.",
          run.id(),
          left.size(),
          table,
          left);
    }
  }

  /** Whether the backfill wins ties is decided by creation times, which are checked at the last. */
  private void checkTies(List<StagedSegment> segments) {
    if (tieRule != TieRule.BACKFILL_WINS) {
      return;
    }
    long earliest =
        segments.stream().mapToLong(StagedSegment::creationTimeMillis).min().orElseThrow();
    List<String> later =
        controller.allSegments(table).values().stream()
            .filter(info -> StreamSegments.isOne(info.name()))
            .filter(info -> isNotBefore(info.creationTimeMillis(), earliest))
            .map(SegmentInfo::name)
            .toList();
    if (!later.isEmpty() || !controller.isPaused(table)) {
      throw new PublishFailedException(
          "Cannot let the backfill win ties in "
              + table
              + ": "
              + (later.isEmpty()
                  ? "its consumption is not paused"
                  : "the stream's "
                      + later
                      + " are not older than "
                      + Instant.ofEpochMilli(earliest))
              + " (expected: consumption paused before the run was made, and until it has ended)");
    }
  }

  private static boolean isNotBefore(@Nullable Long creation, long earliest) {
    return creation == null || creation >= earliest;
  }

  @Override
  public void publish(Parts parts, Found found, Set<String> replaced, Labels labels) {
    List<StagedSegment> segments = parts.segments();
    checkTies(segments);
    for (int from = 0; from < segments.size(); from += groupSize) {
      int to = Math.min(segments.size(), from + groupSize);
      List<StagedSegment> group = segments.subList(from, to);
      pusher.push(group, labels.onEach());
      steps.before(CommitStep.AWAIT_REPLICAS);
      Set<String> names = new TreeSet<>();
      group.forEach(segment -> names.add(segment.name()));
      served.awaitReplicas(names);
    }
    steps.before(CommitStep.AWAIT_BROKERS);
    served.awaitBrokers(segments);
    verify(parts);
    steps.before(CommitStep.MARK);
    StagedSegment carrier = parts.carrier(found.kept(parts));
    if (carrier != null) {
      pusher.mark(carrier, labels);
    }
  }

  private void verify(Parts parts) {
    Set<String> there = pusher.there(parts.segments()).names();
    if (there.size() < parts.segments().size()) {
      Set<String> gone = parts.names();
      gone.removeAll(there);
      throw new PublishFailedException(
          "Cannot finish commit "
              + parts.commit().id()
              + " to "
              + table
              + ": "
              + gone
              + " are gone (expected: all that were pushed; somebody deletes segments)");
    }
  }

  /** Pinot goes by the name; a name that says something else would put keys on a wrong server. */
  private void checkPartition(StagedSegment segment) {
    String[] parts = segment.name().split("__", -1);
    Integer partition = segment.partition();
    if (partition == null || parts.length != 5 || !parts[2].equals(partition.toString())) {
      throw new PublishFailedException(
          "Cannot publish segment "
              + segment.name()
              + " to "
              + table
              + ": it holds the keys of"
              + " partition "
              + partition
              + " (expected: a name of five parts by \"__\", the third one the partition)");
    }
  }
}
