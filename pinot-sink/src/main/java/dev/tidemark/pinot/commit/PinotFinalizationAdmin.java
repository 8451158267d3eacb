package dev.tidemark.pinot.commit;

import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pinot.CommitRecord;
import dev.tidemark.pinot.CommitSearch;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.PinotProperties;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.PinotTruth;
import dev.tidemark.pinot.RunSegments;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.controller.Patience;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What an administrator may say to a table's opinion. Each call writes one entry into the table's
 * custom configs, which counts beside the carriers at once; the next commit of any writer takes it
 * over onto its carrier. Until then somebody else's write of the table config can wipe it, which
 * {@link dev.tidemark.pinot.PinotFinality} shows: say it again. A writer that is retired and
 * commits all the same registers again. Used by one thread.
 */
public final class PinotFinalizationAdmin {
  private final PinotTable table;
  private final ControllerClient controller;
  private final Patience patience;
  private final MirrorWriter mirror;

  private PinotFinalizationAdmin(PinotTable table, ControllerSettings settings, MirrorWrite way) {
    this.table = Objects.requireNonNull(table, "table is null");
    this.patience = Patience.real();
    this.controller = ControllerClient.of(settings, patience);
    this.mirror = new MirrorWriter(table, PinotMirror.adminKey(), way, controller, patience);
  }

  /** For a table whose config is changed through the table's own endpoint. */
  public static PinotFinalizationAdmin of(PinotTable table, ControllerSettings controller) {
    return of(table, controller, MirrorWrite.TABLE_CONFIG);
  }

  /**
   * For a table.
   *
   * @param way how its config is changed
   */
  public static PinotFinalizationAdmin of(
      PinotTable table, ControllerSettings controller, MirrorWrite way) {
    return new PinotFinalizationAdmin(table, controller, way);
  }

  /**
   * Takes a writer that will not come back out of the count.
   *
   * @throws IllegalArgumentException if no such writer is registered
   * @throws IllegalStateException if the table carries no opinion
   */
  public void retire(String writer) {
    change(truth -> opinion(truth).retire(writer), PinotFinalizationAdmin::asBefore);
  }

  /**
   * Says that the bootstrap is complete: every event at or after this time is in the table.
   *
   * @param from {@link Instant#EPOCH} if the bootstrap loaded everything
   * @throws IllegalStateException if the table carries no opinion
   */
  public void completeBootstrap(Instant from) {
    change(truth -> opinion(truth).completeBootstrap(from), PinotFinalizationAdmin::asBefore);
  }

  /**
   * Says that what is gone is meant to be gone: the opinion of the carriers that are seen counts
   * again, in an epoch above any that was published, so that consumers know.
   *
   * @throws IllegalStateException if the table carries no opinion, and its mirror shows none either
   */
  public void reset() {
    change(PinotFinalizationAdmin::reset, PinotFinalizationAdmin::asSeen);
  }

  private void change(
      Function<PinotTruth, Opinion> opinion, Function<PinotTruth, Optional<CommitRecord>> basis) {
    long now = patience.nowMillis();
    PinotTruth truth = PinotTruth.read(table, controller, new CommitSearch(table, controller), now);
    if (truth.opinion() == null && !truth.isRevoked()) {
      throw new IllegalStateException(
          "Cannot change the finalization of table "
              + table
              + ": it carries no opinion (expected: a table that a Tidemark sink has written)");
    }
    Map<String, String> entry = new LinkedHashMap<>();
    basis.apply(truth).map(CommitRecord::properties).ifPresent(entry::putAll);
    entry.put(PinotProperties.COMMIT_TIME_MS, Long.toString(now));
    entry.putAll(FinalizationProperties.write(opinion.apply(truth)));
    mirror.show(entry, null, true);
  }

  private static Opinion reset(PinotTruth truth) {
    int published = opinions(truth).mapToInt(Opinion::epoch).max().orElseThrow();
    Opinion reset = held(truth).reset();
    while (reset.epoch() <= published) {
      reset = reset.reset();
    }
    return reset;
  }

  /** Nothing is left where no carrier is seen, and the policy of what was published. */
  private static Opinion held(PinotTruth truth) {
    Opinion opinion = truth.opinion();
    return opinion != null
        ? opinion
        : Opinion.initial(opinions(truth).findFirst().orElseThrow().policy());
  }

  private static Stream<Opinion> opinions(PinotTruth truth) {
    return Stream.concat(
        Stream.ofNullable(truth.opinion()),
        truth.mirror().entries().values().stream()
            .flatMap(entry -> FinalizationProperties.readOpinion(entry).stream()));
  }

  private static Opinion opinion(PinotTruth truth) {
    Opinion opinion = truth.opinion();
    if (opinion == null) {
      throw new IllegalStateException(
          "Cannot change the opinion of a table whose commits are all gone (expected: a reset first)");
    }
    return opinion;
  }

  /** The newest commit as it says itself, or as an earlier reset has accepted it. */
  private static Optional<CommitRecord> asBefore(PinotTruth truth) {
    Optional<CommitRecord> newest = newest(truth);
    Map<String, String> said =
        truth.mirror().entries().getOrDefault(PinotMirror.adminKey(), Map.of());
    return CommitRecord.read(said)
        .filter(earlier -> newest.map(n -> n.commitId().equals(earlier.commitId())).orElse(false))
        .or(() -> newest);
  }

  /** The newest commit, with as many segments of its run as are seen: the loss is accepted. */
  private static Optional<CommitRecord> asSeen(PinotTruth truth) {
    return newest(truth)
        .map(n -> n.withRunSegments(new RunSegments(n.run().id()).count(truth.visible())));
  }

  private static Optional<CommitRecord> newest(PinotTruth truth) {
    return truth.newest().map(RecentCommit::properties).flatMap(CommitRecord::read);
  }
}
