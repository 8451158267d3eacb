package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.segment.StagedSegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Publishes to a REALTIME table with full upsert: segments are pushed in bounded groups, each of
 * which is waited for, and show as they are loaded. Never through lineage, which would let keys
 * vanish meanwhile. The commit counts once its carrier is marked, as the last step.
 */
final class UpsertWay implements Way {
  private final PinotTable table;
  private final ControllerClient controller;
  private final int groupSize;
  private final Pusher pusher;
  private final Served served;
  private final RunLedger ledger;
  private final CommitSteps steps;

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
    return Set.of();
  }

  @Override
  public void publish(Parts parts, Found found, Set<String> replaced, Labels labels) {
    List<StagedSegment> segments = parts.segments();
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
