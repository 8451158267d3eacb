package dev.tidemark.pipeline.kafka;

import dev.tidemark.pipeline.event.Gtid;
import org.apache.kafka.common.TopicPartition;

/** Kafka cannot show that it still holds every change after a position: no use in trying again. */
public final class PositionLostException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  PositionLostException(TopicPartition partition, Gtid position, long firstKept) {
    super(
        ("Cannot start %s after %s: its first kept offset is %d, and no change at or before the"
                + " position is kept (expected: one). Retention may have dropped changes after"
                + " it; take a new dump, and keep Kafka longer than a dump takes. A server that was"
                + " promoted needs RESET REPLICA ALL before its dump: until then its position is"
                + " where it stood as a replica.")
            .formatted(partition, position, firstKept));
  }
}
