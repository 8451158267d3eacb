package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.commit.CommitContext;
import dev.tidemark.finalization.commit.CommitProcessor;
import dev.tidemark.finalization.eventtime.EventTimeAccumulatorFactory;
import dev.tidemark.finalization.eventtime.EventTimeBounds;
import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.granule.Granularity;
import java.util.Map;
import java.util.NavigableMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;

/**
 * The facts of every commit that one sink of a job in this JVM has made, by checkpoint. Told after
 * each commit; told twice it is the same. Safe for several threads.
 */
final class CommittedFacts {
  private static final Map<String, CommittedFacts> ALL = new ConcurrentHashMap<>();

  private final String name = UUID.randomUUID().toString();
  private final ConcurrentNavigableMap<Long, EventTimeFacts> facts = new ConcurrentSkipListMap<>();
  private final BiConsumer<Long, EventTimeFacts> listener;

  /**
   * @param listener hears of each commit's checkpoint and facts, once
   */
  CommittedFacts(BiConsumer<Long, EventTimeFacts> listener) {
    this.listener = listener;
    ALL.put(name, this);
  }

  private void add(long checkpoint, EventTimeFacts committed) {
    if (facts.put(checkpoint, committed) == null) {
      listener.accept(checkpoint, committed);
    }
  }

  NavigableMap<Long, EventTimeFacts> byCheckpoint() {
    return facts;
  }

  /** The hook for the sink. */
  <T> CommitProcessor<T> hook() {
    return new Hook<>(name);
  }

  private static final class Hook<T> implements CommitProcessor<T> {
    private static final long serialVersionUID = 1L;
    private static final EventTimeAccumulatorFactory<?> FACTS =
        new EventTimeAccumulatorFactory<>(
            new LedgerEventTime(LedgerJob.LEDGER), Granularity.HOUR, EventTimeBounds.DEFAULT);

    private final String name;

    Hook(String name) {
      this.name = name;
    }

    @Override
    public void postCommit(CommitContext<T> context) {
      CommittedFacts all = ALL.get(name);
      if (all != null) {
        context.accumulated(FACTS).ifPresent(facts -> all.add(context.checkpointId(), facts));
      }
    }
  }
}
