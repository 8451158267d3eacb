package dev.tidemark.pinot.flink.testing;

import static org.awaitility.Awaitility.await;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.flink.testing.SimulatedFailure;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.commit.PublishFailedException;
import dev.tidemark.pinot.commit.PublishResult;
import dev.tidemark.pinot.commit.SegmentPublisher;
import dev.tidemark.pinot.flink.internal.PublisherFactory;
import dev.tidemark.pinot.segment.StagedSegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * A table in the test's JVM, with the promises of a {@link SegmentPublisher}: a commit appears as
 * one and once, and a run that was restored from an older checkpoint replaces what it had published
 * after it. It reads what it publishes from the staged files, as Pinot would, and a name that comes
 * again with other bytes is an error. What goes wrong with the next commits can be scripted.
 * Thread-safe.
 */
public final class MemoryTable {
  private static final Map<String, MemoryTable> TABLES = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final Map<CommitId, PinotCommit> commits = new LinkedHashMap<>();
  private final Map<String, Long> crcs = new HashMap<>();
  private final Map<String, Published> visible = new TreeMap<>();
  private final Set<String> violations = new HashSet<>();
  private @Nullable String refusal;
  private int refusedByHook;
  private int startedPublishers;

  /** A segment that readers see. */
  private record Published(PinotCommit commit, StagedSegment segment, List<GenericRow> rows) {}

  /** What goes wrong with one commit. */
  public enum Fault {
    /** Nothing. */
    NONE,
    /** The committing process dies before anything is published. */
    CRASH_BEFORE,
    /** All is published, and the committing process dies before it hears of it. */
    CRASH_AFTER,
    /** The table cannot be reached, and the publisher says so. */
    UNAVAILABLE,
    /** A hook refuses. */
    HOOK_REFUSES
  }

  /** An empty table. */
  public static MemoryTable create() {
    MemoryTable table = new MemoryTable();
    TABLES.put(table.id, table);
    return table;
  }

  /** Publishers that find this table wherever they run. */
  public PublisherFactory publishers() {
    String name = id;
    return () -> new Publisher(TABLES.get(name));
  }

  /** Scripts the next commits. */
  public synchronized MemoryTable next(Fault... script) {
    faults.addAll(List.of(script));
    return this;
  }

  /** Refuses every publisher at its start. */
  public synchronized MemoryTable refuse(String reason) {
    refusal = reason;
    return this;
  }

  /** The commits that were published, in their order. */
  public synchronized List<PinotCommit> commits() {
    return List.copyOf(commits.values());
  }

  /** Commits that had rows. */
  public List<PinotCommit> commitsWithRows() {
    return commits().stream().filter(commit -> commit.rows() > 0).toList();
  }

  /** The visible segments by name. */
  public synchronized List<StagedSegment> segments() {
    return visible.values().stream().map(Published::segment).toList();
  }

  /** The rows of a visible segment. */
  public synchronized List<GenericRow> rows(String segment) {
    return visible.get(segment).rows();
  }

  /** All visible values of a column of numbers, sorted, duplicates kept. */
  public synchronized List<Integer> values(String column) {
    return visible.values().stream()
        .flatMap(segment -> segment.rows().stream())
        .map(row -> (Integer) row.getValue(column))
        .sorted()
        .toList();
  }

  /** What broke the rules. */
  public synchronized Set<String> violations() {
    return Set.copyOf(violations);
  }

  /** How many faults are still to come. */
  public synchronized int faultsLeft() {
    return faults.size();
  }

  /** How often a hook refused. */
  public synchronized int refusedByHook() {
    return refusedByHook;
  }

  /** How many publishers were started. */
  public synchronized int startedPublishers() {
    return startedPublishers;
  }

  /** Waits until so many commits with rows were published. */
  public void awaitCommits(int count) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> commitsWithRows().size() >= count);
  }

  private synchronized void start() {
    startedPublishers++;
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
  }

  private synchronized PublishResult publish(PinotCommit commit) throws CommitAbortedException {
    Fault fault = faults.isEmpty() || commit.rows() == 0 ? Fault.NONE : faults.remove();
    switch (fault) {
      case CRASH_BEFORE -> throw new SimulatedFailure.Crash("before the commit");
      case UNAVAILABLE -> throw new PublishFailedException("the table is down");
      case HOOK_REFUSES -> {
        refusedByHook++;
        throw new CommitAbortedException("not yet");
      }
      default -> {}
    }
    if (commits.containsKey(commit.id())) {
      if (!commit.delivery().redelivered()) {
        violations.add("commit " + commit.id() + " came twice without saying so");
      }
      return new PublishResult.AlreadyPublished();
    }
    show(commit);
    if (fault == Fault.CRASH_AFTER) {
      throw new SimulatedFailure.Crash("after the commit");
    }
    return new PublishResult.Published(null);
  }

  private void show(PinotCommit commit) {
    Long restored = commit.run().restoredCheckpoint();
    if (restored != null) {
      visible
          .values()
          .removeIf(
              segment ->
                  segment.commit().run().id().equals(commit.run().id())
                      && segment.commit().run().restoreEpoch() < commit.run().restoreEpoch()
                      && segment.commit().checkpointId() > restored);
    }
    for (StagedSegment segment : commit.segments()) {
      Long crc = crcs.putIfAbsent(segment.name(), segment.crc());
      if (crc != null) {
        violations.add("segment " + segment.name() + " was named a second time");
      }
      visible.put(segment.name(), new Published(commit, segment, read(segment)));
    }
    commits.put(commit.id(), commit);
  }

  private List<GenericRow> read(StagedSegment segment) {
    try {
      List<GenericRow> rows = new ArrayList<>(SegmentContents.rows(segment));
      if (rows.size() != segment.rows()) {
        violations.add("segment " + segment.name() + " has " + rows.size() + " rows");
      }
      return rows;
    } catch (Exception e) {
      throw new PublishFailedException("Cannot read " + segment, e);
    }
  }

  private record Publisher(MemoryTable table) implements SegmentPublisher {
    @Override
    public void start() {
      table.start();
    }

    @Override
    public PublishResult publish(PinotCommit commit) throws CommitAbortedException {
      return table.publish(commit);
    }

    @Override
    public void close() {}
  }
}
