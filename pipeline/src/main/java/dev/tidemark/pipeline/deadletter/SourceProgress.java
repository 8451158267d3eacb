package dev.tidemark.pipeline.deadletter;

import dev.tidemark.pipeline.event.ChangeEvent;
import dev.tidemark.pipeline.event.Gtid;
import dev.tidemark.pipeline.event.SingleGtidDomain;
import dev.tidemark.pipeline.event.SourcePoint;
import dev.tidemark.pipeline.event.UnorderableStreamException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How far each Kafka partition has come in the source, to tell a change that was sent again from a
 * new one. One thread.
 *
 * <p>Snapshot rows have no source position: they neither move the reach nor count as re-sent.
 */
final class SourceProgress {
  private final Map<TopicPartition, SourceReach> reaches = new HashMap<>();
  private final Set<TopicPartition> read = new HashSet<>();
  private final SingleGtidDomain domain = new SingleGtidDomain();

  /**
   * The event, marked when its source position is at or below what its partition had reached.
   *
   * @throws UnorderableStreamException when its server has sent another GTID domain before
   */
  ChangeEvent advance(ChangeEvent event) throws UnorderableStreamException {
    SourcePoint source = event.origin().source();
    Gtid gtid = source.gtid();
    if (gtid == null) {
      return event;
    }
    domain.check(source);
    TopicPartition partition = TopicPartition.of(event.kafka());
    read.add(partition);
    SourceReach before = reaches.get(partition);
    if (before != null && event.order().compareSource(before.highest()) <= 0) {
      return event.asResent();
    }
    reaches.put(
        partition, new SourceReach(source.server(), gtid.domain(), event.order(), event.kafka()));
    return event;
  }

  /** Takes over a reach of a checkpoint; of two for one partition the higher one counts. */
  void restore(SourceReach reach) throws UnorderableStreamException {
    domain.check(reach.server(), reach.domain());
    reaches.merge(
        reach.topicPartition(),
        reach,
        (a, b) -> a.highest().compareSource(b.highest()) >= 0 ? a : b);
  }

  /**
   * The reaches that this subtask answers for: those of the partitions that it has read, and its
   * share of the others, so that no reach is lost while nobody reads its partition and a restored
   * checkpoint does not multiply them.
   */
  List<SourceReach> share(int subtask, int parallelism) {
    List<SourceReach> share = new ArrayList<>();
    for (Map.Entry<TopicPartition, SourceReach> entry : reaches.entrySet()) {
      boolean mine = entry.getKey().owner(parallelism) == subtask;
      if (mine || read.contains(entry.getKey())) {
        share.add(entry.getValue());
      }
    }
    return share;
  }
}
