package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.RunSegments;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.SegmentInfo;
import dev.tidemark.pinot.controller.SegmentLineage;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.StagedSegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes through segment lineage: the segments are pushed hidden and appear in one step. Nothing
 * is ever reverted, since Pinot deletes whatever is pushed later under a reverted name, and nothing
 * is cleaned up by force, since that would touch entries of others.
 */
final class LineageWay implements Way {
  private static final Logger LOG = LoggerFactory.getLogger(LineageWay.class);

  private final PinotTable table;
  private final ControllerClient controller;
  private final SegmentLineage lineage;
  private final ReplacedSegments replaced;
  private final Pusher pusher;
  private final Served served;
  private final RunLedger ledger;
  private final CommitSteps steps;

  private final Set<String> judgedToStay = new HashSet<>();
  private CommitRecord.@Nullable RunRef judgedFor;
  private @Nullable String runWithCommits;

  LineageWay(
      PinotPlan plan,
      ControllerClient controller,
      Pusher pusher,
      Served served,
      RunLedger ledger,
      CommitSteps steps) {
    this.table = plan.table();
    this.controller = controller;
    this.lineage = controller.lineage(table);
    this.replaced = plan.replaced();
    this.pusher = pusher;
    this.served = served;
    this.ledger = ledger;
    this.steps = steps;
  }

  @Override
  public Found find(Parts parts) {
    Set<String> names = parts.names();
    Set<String> completed = new TreeSet<>();
    SegmentLineage.Entry open = null;
    List<SegmentLineage.Entry> entries = lineage.list();
    for (SegmentLineage.Entry entry : entries) {
      if (!Collections.disjoint(entry.to(), names)) {
        switch (entry.state()) {
          case REVERTED -> throw reverted(parts, entry);
          case COMPLETED -> completed.addAll(entry.to());
          case IN_PROGRESS -> open = entry;
        }
      }
    }
    if (open != null) {
      return started(parts, open);
    }
    requireNotTakenBack(parts, entries);
    Present there = pusher.there(parts.segments());
    CommitId id = parts.commit().id();
    if (!there.of(id).isEmpty()) {
      return new Found.Done("its segments are there", there.carrierOf(id).orElse(null));
    }
    if (there.isEmpty() && completed.containsAll(names)) {
      return new Found.Done("its lineage entry is completed; its segments are gone since", null);
    }
    if (there.isEmpty() && ledger.wasCommitted(parts.commit())) {
      return new Found.Done("the ledger says so; its segments are gone since", null);
    }
    return kept(parts, there.names());
  }

  @Override
  public boolean withdraws() {
    return true;
  }

  @Override
  public Set<String> replaces(Parts parts, Found found) {
    if (found instanceof Found.Started started) {
      return Set.copyOf(started.from());
    }
    PinotCommit commit = parts.commit();
    List<String> visible = controller.visibleSegments(table);
    boolean asksOthers =
        !replaced.isNone() && !parts.segments().isEmpty() && !hasCommits(commit, visible);
    CommitRecord.RunRef run = CommitRecord.RunRef.of(commit.run());
    if (!asksOthers && run.restoreEpoch() == 0) {
      return Set.of();
    }
    if (!run.equals(judgedFor)) {
      judgedFor = run;
      judgedToStay.clear();
    }
    Rewound rewound = new Rewound(commit);
    Set<String> unjudged = new LinkedHashSet<>(visible);
    unjudged.removeAll(parts.names());
    unjudged.removeIf(name -> rewound.isOfTheRun(name) ? judgedToStay.contains(name) : !asksOthers);
    return unjudged.isEmpty() ? Set.of() : judge(rewound, unjudged);
  }

  /**
   * Whether the run has published something before, in whatever epoch: whoever adds a segment after
   * that does not add it to what was to be replaced. Its segments may be merged into others by now.
   */
  private boolean hasCommits(PinotCommit commit, List<String> visible) {
    Run run = commit.run();
    if (!run.id().equals(runWithCommits)) {
      RunSegments own = new RunSegments(run.id());
      boolean known =
          own.count(visible) > 0
              || ledger.hasReplaced(run)
              || lineage.list().stream()
                  .filter(entry -> entry.state() == SegmentLineage.State.COMPLETED)
                  .anyMatch(entry -> own.count(entry.to()) > 0);
      if (!known) {
        return false;
      }
      runWithCommits = run.id();
    }
    return true;
  }

  /** Reads all segments, which is megabytes on a large table: once per run, and for newcomers. */
  private Set<String> judge(Rewound rewound, Set<String> names) {
    Map<String, SegmentInfo> infos = controller.allSegments(table);
    Set<String> from = new LinkedHashSet<>();
    for (String name : names) {
      SegmentInfo info = infos.get(name);
      if (info != null && isToGo(info, rewound)) {
        from.add(name);
      } else if (rewound.isOfTheRun(name)) {
        judgedToStay.add(name);
      }
    }
    return from;
  }

  @Override
  public void publish(Parts parts, Found found, Set<String> from, Labels labels) {
    steps.before(CommitStep.START);
    Set<String> to = new TreeSet<>(parts.names());
    String entry;
    if (found instanceof Found.Started started) {
      entry = started.entryId();
      to.retainAll(started.to());
      LOG.info("Going on with replacement {} of {}", entry, table);
    } else {
      to.removeAll(found.kept(parts));
      entry = lineage.start(List.copyOf(from), List.copyOf(to));
    }
    pushHidden(parts, to, labels);
    steps.before(CommitStep.AWAIT_REPLICAS);
    served.awaitReplicas(to);
    steps.before(CommitStep.END);
    lineage.end(entry);
    requireCompleted(parts, entry);
    steps.before(CommitStep.AWAIT_BROKERS);
    served.awaitBrokers(parts.segments());
    judgedToStay.addAll(parts.names());
    runWithCommits = parts.commit().run().id();
  }

  @Override
  public void withdraw(Set<String> names) {
    steps.before(CommitStep.START);
    String entry =
        lineage.list().stream()
            .filter(e -> e.state() == SegmentLineage.State.IN_PROGRESS && e.to().isEmpty())
            .filter(e -> names.equals(Set.copyOf(e.from())))
            .map(SegmentLineage.Entry::id)
            .findFirst()
            .orElseGet(() -> lineage.start(List.copyOf(names), List.of()));
    steps.before(CommitStep.END);
    lineage.end(entry);
    steps.before(CommitStep.AWAIT_BROKERS);
    served.awaitGone(names);
  }

  /** The carrier first: hidden like the others, it already says what will be true at the end. */
  private void pushHidden(Parts parts, Set<String> to, Labels labels) {
    List<StagedSegment> segments = new ArrayList<>(parts.only(to));
    if (!segments.isEmpty()) {
      StagedSegment carrier = segments.remove(0);
      if (pusher.there(List.of(carrier)).isEmpty()) {
        pusher.pushOne(carrier, labels.onCarrier());
      } else {
        pusher.mark(carrier, labels);
      }
    }
    pusher.push(segments, labels.onEach());
  }

  private void requireCompleted(Parts parts, String entry) {
    boolean completed =
        lineage.find(entry).map(e -> e.state() == SegmentLineage.State.COMPLETED).orElse(false);
    if (!completed) {
      throw new PublishFailedException(
          "Cannot publish commit "
              + parts.commit().id()
              + " to "
              + table
              + ": replacement "
              + entry
              + " is not completed after it was ended (expected: COMPLETED)");
    }
  }

  /**
   * Segments that an earlier commit of the run has published, staged before the savepoint that the
   * run was wound back to: they stay where they are.
   */
  private Found kept(Parts parts, Set<String> there) {
    if (!there.isEmpty()) {
      Set<String> hidden = new TreeSet<>(there);
      hidden.removeAll(new LinkedHashSet<>(controller.visibleSegments(table)));
      if (!hidden.isEmpty()) {
        throw new PublishFailedException(
            "Cannot publish commit "
                + parts.commit().id()
                + " to "
                + table
                + ": "
                + hidden
                + " are there, but were replaced (expected: segments that readers see). The run"
                + " was wound back twice; start a new run that replaces it.");
      }
    }
    return new Found.Fresh(there);
  }

  /**
   * Its rows came anew from an earlier savepoint, or were to: that it was there once is no comfort.
   */
  private void requireNotTakenBack(Parts parts, List<SegmentLineage.Entry> entries) {
    Set<String> names = parts.names();
    RunSegments run = new RunSegments(parts.commit().run().id());
    boolean replacedByItsRun =
        entries.stream()
            .filter(entry -> entry.state() == SegmentLineage.State.COMPLETED)
            .filter(entry -> !Collections.disjoint(entry.from(), names))
            .anyMatch(entry -> entry.to().isEmpty() || run.count(entry.to()) > 0);
    if (replacedByItsRun || ledger.wasWithdrawn(parts.commit())) {
      throw new PublishFailedException(
          "Cannot publish commit "
              + parts.commit().id()
              + " of checkpoint "
              + parts.commit().checkpointId()
              + " to "
              + table
              + ": its run was restored from an earlier checkpoint since, and took it back"
              + " (expected: a restore of what the run did last). Start a new run that replaces"
              + " this one.");
    }
  }

  private Found started(Parts parts, SegmentLineage.Entry entry) {
    if (!parts.names().containsAll(entry.to())) {
      throw new PublishFailedException(
          "Cannot publish commit "
              + parts.commit().id()
              + " to "
              + table
              + ": its segments are in"
              + " the unfinished replacement "
              + entry.id()
              + " of another attempt, together with "
              + entry.to()
              + " (expected: one with these segments alone). Restore the run from the"
              + " checkpoint that knows that attempt, or wait until Pinot drops it after a day.");
    }
    return new Found.Started(entry.id(), entry.from(), Set.copyOf(entry.to()));
  }

  private PublishFailedException reverted(Parts parts, SegmentLineage.Entry entry) {
    Set<String> names = parts.names();
    names.retainAll(entry.to());
    return new PublishFailedException(
        "Cannot publish commit "
            + parts.commit().id()
            + " to "
            + table
            + ": replacement "
            + entry.id()
            + " with "
            + names
            + " was reverted, and Pinot deletes segments of such names without a word (expected:"
            + " names that were never reverted; start a new run)");
  }

  private boolean isToGo(SegmentInfo info, Rewound rewound) {
    return rewound.isOfTheRun(info.name()) ? rewound.isOne(info) : isReplaced(info);
  }

  private boolean isReplaced(SegmentInfo info) {
    return replaced.replaces(
        new ReplacedSegments.Candidate(info.name(), info.startMillis(), info.endMillis()));
  }
}
