package dev.tidemark.pinot.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.granule.GranuleCounts;
import dev.tidemark.finalization.late.ReopenedGranules;
import dev.tidemark.finalization.watermark.Evidence;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.finalization.watermark.FinalizationWatermark;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.finalization.watermark.Outcome;
import dev.tidemark.pinot.PinotMirror;
import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.PinotTruth;
import dev.tidemark.pinot.controller.ControllerSettings;
import dev.tidemark.pinot.segment.Run;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Opinions of another table: what of them a commit says. */
class CarriedOpinionTest {
  private static final long HOUR = 3_600_000;
  private static final FinalizationConfig CONFIG = FinalizationConfig.forWriter("copy").build();

  @Test
  void moreIsSaid() {
    Outcome outcome = decide(opinion(5, 0), opinion(7, 0));
    assertThat(outcome.opinion()).isEqualTo(opinion(7, 0));
    assertThat(outcome.worthACommit()).isTrue();
  }

  @Test
  void lessTakesNothingBack() {
    Outcome outcome = decide(opinion(7, 0), opinion(5, 1));
    assertThat(outcome.opinion()).isEqualTo(opinion(7, 0));
    assertThat(outcome.worthACommit()).isFalse();
  }

  @Test
  void lateRowsBehindTheSameWatermarkAreToldToo() {
    Outcome outcome = decide(opinion(7, 0), opinion(7, 1));
    assertThat(outcome.opinion()).isEqualTo(opinion(7, 1));
    assertThat(outcome.worthACommit()).isTrue();
  }

  @Test
  void theSameIsNoNews() {
    assertThat(decide(opinion(7, 1), opinion(7, 1)).worthACommit()).isFalse();
  }

  @Test
  void withoutAnyOpinionNothingIsSaid() {
    assertThat(decideOrNull(null, null)).isNull();
  }

  @Test
  void anOpinionReadBeforehandHoldsAtTheEndOfTheInputAlone() throws Exception {
    OpinionSource source = serialized(OpinionSource.atEndOfInput(opinion(7, 1)));
    assertThat(source.opinionAfter(commit(false))).isEmpty();
    assertThat(source.opinionAfter(commit(true))).contains(opinion(7, 1));
  }

  private static Outcome decide(Opinion own, Opinion other) {
    return Objects.requireNonNull(decideOrNull(own, other));
  }

  private static @Nullable Outcome decideOrNull(@Nullable Opinion own, @Nullable Opinion other) {
    PinotTable table = new PinotTable("copy", PinotTable.Type.OFFLINE);
    PinotPlan plan =
        PinotPlan.builder(table, ControllerSettings.of("http://127.0.0.1:1"))
            .finalization(CONFIG)
            .opinionSource(commit -> Optional.ofNullable(other))
            .build();
    PinotTruth truth =
        new PinotTruth(own, List.of(), new PinotMirror(new TreeMap<>()), Set.of(), List.of());
    return new OpinionDecision(plan).decide(truth, commit(false), 0);
  }

  /**
   * @param hours the watermark
   * @param lateRows in the first hour, after it was final
   */
  private static Opinion opinion(long hours, long lateRows) {
    TreeMap<Long, Long> late = new TreeMap<>(Map.of(0L, lateRows));
    Opinion initial = Opinion.initial(CONFIG.policyText());
    return new Opinion(
        new FinalizationWatermark(0L, hours * HOUR, Evidence.ESTIMATE),
        initial.policy(),
        null,
        0,
        false,
        initial.writers(),
        ReopenedGranules.NONE.plus(GranuleCounts.of(late)));
  }

  private static PinotCommit commit(boolean inputEnded) {
    return new PinotCommit(
        CommitId.random(),
        new Run("run", 0, 0),
        1,
        new PinotCommit.Delivery(false, inputEnded),
        List.of(),
        Map.of());
  }

  private static OpinionSource serialized(OpinionSource source) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(source);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (OpinionSource) in.readObject();
    }
  }
}
