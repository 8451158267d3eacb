package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.controller.ControllerClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refuses tables that a run would harm, each with its reason, before anything is pushed. */
final class Preflight {
  private static final Logger LOG = LoggerFactory.getLogger(Preflight.class);

  private final PinotPlan plan;
  private final ControllerClient controller;
  private final PinotTable table;

  Preflight(PinotPlan plan, ControllerClient controller) {
    this.plan = plan;
    this.controller = controller;
    this.table = plan.table();
  }

  /**
   * Checks a table.
   *
   * @throws IllegalArgumentException with the reason
   */
  void check(TableShape shape) {
    boolean upsert = shape.upsert() != TableShape.Upsert.NONE;
    if (table.type() == PinotTable.Type.OFFLINE && upsert) {
      throw refused(
          "upsert on an OFFLINE table decides ties by the time of the push, so the result of a"
              + " backfill could not be promised",
          "an OFFLINE table without upsert, or a REALTIME table with it");
    }
    if (shape.isDedup()) {
      throw refused(
          "it drops duplicates, but not those of uploaded segments", "a table without dedup");
    }
    if (table.type() == PinotTable.Type.REALTIME) {
      checkRealtime(shape, upsert);
    }
  }

  private void checkRealtime(TableShape shape, boolean upsert) {
    if (table.rawName().contains("__")) {
      throw refused(
          "its name contains \"__\", at which Pinot splits the names of uploaded segments",
          "a name without it");
    }
    if (shape.upsert() == TableShape.Upsert.PARTIAL) {
      throw refused(
          "its upsert is partial: an uploaded row would replace the merged one", "full upsert");
    }
    if (upsert) {
      checkUpsert(shape);
    }
  }

  private void checkUpsert(TableShape shape) {
    if (!plan.replaced().isNone()) {
      throw refused(
          "segments of a table with upsert cannot be replaced: keys would vanish meanwhile",
          "no replaced segments; newer rows of the same keys win by themselves");
    }
    if (!shape.routesByReplicaGroup()) {
      throw refused(
          "routing.instanceSelectorType is not strictReplicaGroup, so that a query may mix replicas"
              + " that disagree on which row of a key is valid",
          "strictReplicaGroup");
    }
    if (plan.tieRule() == TieRule.BACKFILL_WINS && !controller.isPaused(table)) {
      throw refused(
          "the backfill is to win ties, but rows that stream in win them",
          "paused consumption without a consuming segment; or let the stream win");
    }
    if (shape.deletedKeysTtl() > 0) {
      LOG.warn(
          "Table {} forgets deleted keys after {} of comparison values: an older row of such a key"
              + " that is backfilled comes back to life",
          table,
          shape.deletedKeysTtl());
    }
    checkPartitions(shape);
  }

  private void checkPartitions(TableShape shape) {
    int streamed = StreamSegments.byPartition(controller.idealState(table).keySet()).size();
    Integer planned = plan.partitions();
    if (planned != null && streamed > 0 && planned != streamed) {
      throw refused(
          "the run splits its rows by " + planned + " partitions, the stream has " + streamed,
          "as many as the stream has");
    }
    PartitionProof proof = plan.partitionProof();
    if (proof != null) {
      PartitionPreflight.Result result =
          new PartitionPreflight(proof, controller)
              .check(shape, streamed > 0 ? streamed : planned == null ? 1 : planned);
      LOG.info("Partitions of {}: {}", table, result);
      if (result instanceof PartitionPreflight.Refused wrong) {
        throw refused(wrong.toString(), "the partitioner of the stream's own producer");
      }
      if (result instanceof PartitionPreflight.Inconclusive open && !proof.acceptsInconclusive()) {
        throw refused(
            open.toString(), "keys in the stream; or say that an inconclusive proof is accepted");
      }
    }
  }

  private IllegalArgumentException refused(String reason, String expected) {
    return new IllegalArgumentException(
        "Cannot publish to " + table + ": " + reason + " (expected: " + expected + ")");
  }
}
