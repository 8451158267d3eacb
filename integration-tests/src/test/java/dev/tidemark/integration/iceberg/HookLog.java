package dev.tidemark.integration.iceberg;

import dev.tidemark.finalization.commit.CommitAbortedException;
import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.flink.testing.SimulatedFailure;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.Table;

/**
 * A hook that keeps what it heard in the test's JVM, and refuses or crashes as often as it is told
 * to.
 */
final class HookLog implements CommitProcessor<Table> {
  static final String PROPERTY = "app.checkpoint";

  private static final long serialVersionUID = 1L;
  private static final Map<String, Memory> MEMORIES = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();

  private static final class Memory {
    final List<String> before = new CopyOnWriteArrayList<>();
    final List<String> after = new CopyOnWriteArrayList<>();
    final AtomicInteger refusals = new AtomicInteger();
    final AtomicInteger crashesBefore = new AtomicInteger();
    final AtomicInteger crashesAfter = new AtomicInteger();
  }

  /** Refuses so many commits. */
  HookLog refusing(int times) {
    memory().refusals.set(times);
    return this;
  }

  /** Crashes before so many commits. */
  HookLog crashingBefore(int times) {
    memory().crashesBefore.set(times);
    return this;
  }

  /** Crashes after so many commits. */
  HookLog crashingAfter(int times) {
    memory().crashesAfter.set(times);
    return this;
  }

  /** The commit ids that it was asked about, in order. */
  List<String> before() {
    return memory().before;
  }

  /** The commit ids that it was told of, in order. */
  List<String> after() {
    return memory().after;
  }

  @Override
  public void preCommit(CommitContext<Table> context) throws CommitAbortedException {
    memory().before.add(context.commitId().toString());
    if (memory().refusals.getAndUpdate(HookLog::down) > 0) {
      throw new CommitAbortedException("the audit of " + context.table().name() + " says no");
    }
    if (memory().crashesBefore.getAndUpdate(HookLog::down) > 0) {
      throw new SimulatedFailure("a hook fails before the commit");
    }
    context.putProperty(PROPERTY, Long.toString(context.checkpointId()));
  }

  @Override
  public void postCommit(CommitContext<Table> context) {
    memory().after.add(context.commitId().toString());
    if (memory().crashesAfter.getAndUpdate(HookLog::down) > 0) {
      throw new SimulatedFailure.Crash("in a hook after the commit");
    }
  }

  private Memory memory() {
    return MEMORIES.computeIfAbsent(id, key -> new Memory());
  }

  private static int down(int times) {
    return Math.max(0, times - 1);
  }
}
