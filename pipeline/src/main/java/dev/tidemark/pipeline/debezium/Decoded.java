package dev.tidemark.pipeline.debezium;

import dev.tidemark.pipeline.event.ChangeEvent;

/** What a Debezium message turned out to be. */
public sealed interface Decoded {
  /** A change of a row, or a TRUNCATE. */
  record Change(ChangeEvent event) implements Decoded {}

  /** Rightly no change: nothing is lost by leaving it out. */
  record Skipped(SkipReason reason) implements Decoded {}

  /**
   * A message that cannot be read.
   *
   * @param reason names the Kafka position and the field, the value and what was expected
   */
  record Malformed(String reason) implements Decoded {}

  /**
   * A readable change that has no place in a total order, because the connector leaves something
   * out. Every message of that connector will be refused, so going on would leave an incomplete or
   * wrongly ordered table: the job must stop and the setting be changed.
   *
   * @param reason names the setting to change
   */
  record Refused(String reason) implements Decoded {}
}
