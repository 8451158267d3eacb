package dev.tidemark.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.eventtime.EventTimeFacts;
import dev.tidemark.finalization.granule.Granularity;
import dev.tidemark.finalization.testing.Seeds;
import dev.tidemark.finalization.watermark.FinalizationPolicy;
import dev.tidemark.finalization.watermark.PolicySimulation;
import dev.tidemark.finalization.watermark.PolicyText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What tune chooses, against a simulated stream whose late rows are known. */
class TuningTest {
  private static final int RECORDS = 1_000;
  private static final Duration TWO_HOURS = Duration.ofHours(2);

  @Test
  void choiceKeepsTheBudgetInTruthAndNoFresherCandidateWouldHaveOnTheEarlierHalf() {
    List<LiveTable.Raw> raws = simulation("Tuning choice");
    Budget budget = new Budget(0.0005, TWO_HOURS, Budget.Behind.COMMIT);
    Tuning tuning = search(raws, budget);

    assertThat(tuning.verdict()).isInstanceOf(Verdict.Found.class);
    Candidate chosen = ((Verdict.Found) tuning.verdict()).candidate();
    LiveTable live = LiveTable.run(raws, chosen.policy());
    Tuning.Spans spans = spans(tuning);
    double earlier = lateShare(live, t -> t >= spans.firstMillis() && t < spans.splitMillis());
    double later = lateShare(live, t -> t >= spans.splitMillis());
    System.out.printf(
        Locale.ROOT, "%s: truth %.6f earlier, %.6f later%n", chosen.policy(), earlier, later);
    assertThat(earlier)
        .isBetween(chosen.earlier().leastLateShare(), chosen.earlier().mostLateShare());
    assertThat(later).isBetween(chosen.later().leastLateShare(), chosen.later().mostLateShare());
    assertThat(later).isLessThanOrEqualTo(budget.maxLateShare());
    for (Candidate other : tuning.candidates()) {
      if (other.earlier().behindCommit().meanMillis()
          < chosen.earlier().behindCommit().meanMillis()) {
        assertThat(other.isSure(budget)).as("%s", other.policy()).isFalse();
      }
    }
  }

  @Test
  void everyCandidateSaysTheTruthOfItself() {
    List<LiveTable.Raw> raws = simulation("Tuning candidates");
    Tuning tuning = search(raws, new Budget(0.001, null, Budget.Behind.COMMIT));
    Tuning.Spans spans = spans(tuning);
    assertThat(tuning.candidates()).hasSizeGreaterThan(20);
    for (Candidate candidate : tuning.candidates()) {
      LiveTable live = LiveTable.run(raws, candidate.policy());
      assertThat(lateShare(live, t -> t >= spans.splitMillis()))
          .as("%s", candidate.policy())
          .isBetween(candidate.later().leastLateShare(), candidate.later().mostLateShare());
    }
  }

  @Test
  void streamThatBecomesLaterIsNotConfirmed() {
    List<LiveTable.Raw> calm = simulation("Tuning calm", 20_000, 0.2);
    List<LiveTable.Raw> late = simulation("Tuning late", 900_000, 1.5);
    int change = calm.size() * 3 / 4;
    List<LiveTable.Raw> raws = new ArrayList<>(calm.subList(0, change));
    raws.addAll(late.subList(change, late.size()));

    Tuning tuning = search(raws, new Budget(0.001, null, Budget.Behind.COMMIT));

    assertThat(tuning.verdict()).isInstanceOf(Verdict.NotConfirmed.class);
  }

  @Test
  void budgetThatNothingMeetsHasNoAnswer() {
    Tuning tuning =
        search(
            simulation("Tuning none"),
            new Budget(0.0005, Duration.ofMinutes(30), Budget.Behind.COMMIT));
    assertThat(tuning.verdict())
        .isInstanceOfSatisfying(
            Verdict.NoneMeets.class,
            none ->
                assertThat(none.leastLate())
                    .isEqualTo(
                        tuning.candidates().stream()
                            .min(Comparator.comparingDouble(c -> c.earlier().mostLateShare()))
                            .orElseThrow()));
  }

  @Test
  void tooFewCommitsOrRowsAreSaid() {
    List<LiveTable.Raw> raws = simulation("Tuning short");
    assertThat(search(raws.subList(0, 30), new Budget(0.01, null, Budget.Behind.COMMIT)).verdict())
        .isInstanceOfSatisfying(
            Verdict.TooShort.class,
            tooShort ->
                assertThat(tooShort.reason()).contains("30 commits").contains("40 are needed"));
    assertThat(search(raws, new Budget(0.000001, null, Budget.Behind.COMMIT)).verdict())
        .isInstanceOfSatisfying(
            Verdict.TooShort.class,
            tooShort -> assertThat(tooShort.reason()).contains("3,000,000 are needed"));
  }

  /** Past the first quarter: what lies before fills the windows, and is not measured. */
  @Test
  void fromLeavesOutWhatLiesBeforeItAndLetsWindowsFillThere() {
    List<LiveTable.Raw> raws = simulation("Tuning from");
    Budget budget = new Budget(0.05, null, Budget.Behind.COMMIT);
    long from = raws.get(raws.size() / 3).timeMillis();

    Tuning tuning = Tuning.search(table(raws).history(), budget, Granularity.HOUR, from);

    assertThat(tuning.verdict()).isNotInstanceOf(Verdict.TooShort.class);
    assertThat(spans(tuning).firstMillis()).isEqualTo(from);
    assertThat(tuning.windowTooLong()).isZero();
    long late = raws.get(raws.size() - 30).timeMillis();
    assertThat(Tuning.search(table(raws).history(), budget, Granularity.HOUR, late).verdict())
        .isInstanceOfSatisfying(
            Verdict.TooShort.class,
            tooShort ->
                assertThat(tooShort.reason()).contains("30 of them from the time that was given"));
  }

  /** Monday's traffic, then a weekend of empty checkpoints. */
  @Test
  void laterHalfWithoutRowsConfirmsNothing() {
    List<LiveTable.Raw> busy = simulation("Tuning weekend");
    List<LiveTable.Raw> raws = new ArrayList<>(busy);
    for (int i = 0; i < busy.size() * 2; i++) {
      raws.add(
          new LiveTable.Raw(PolicySimulation.commitTime(busy.size() + i), EventTimeFacts.EMPTY));
    }

    Tuning tuning = search(raws, new Budget(0.05, null, Budget.Behind.EVENTS));

    assertThat(tuning.verdict())
        .isInstanceOfSatisfying(
            Verdict.TooShort.class,
            tooShort ->
                assertThat(tooShort.reason())
                    .startsWith("the later half, which is to confirm")
                    .contains("has 0 rows; 60 are needed"));
  }

  @Test
  void budgetsThatMeanNothingAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Budget(0, null, Budget.Behind.COMMIT))
        .withMessageContaining("source-promise is proof");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Budget(0.1, Duration.ZERO, Budget.Behind.COMMIT));
  }

  @Test
  void noneLateAmongFewIsBoundedByTheRuleOfThree() {
    List<LiveTable.Raw> raws = simulation("Tuning bound");
    List<Step> steps =
        EngineReplay.run(
            table(raws.subList(0, 100)).history(),
            Trial.of(text(FinalizationPolicy.boundedLateness(Duration.ofDays(9)), 1)));
    Figures figures = Figures.of(steps.subList(1, 51), Granularity.HOUR);
    assertThat(figures.late().estimate()).isZero();
    assertThat(LateBound.of(steps.subList(1, 51), figures)).isEqualTo(3.0 / figures.rows());
  }

  private static Tuning search(List<LiveTable.Raw> raws, Budget budget) {
    return Tuning.search(table(raws).history(), budget, Granularity.HOUR, Long.MIN_VALUE);
  }

  private static LiveTable table(List<LiveTable.Raw> raws) {
    return LiveTable.run(raws, LiveTable.config(FinalizationPolicy.MIN, 6, Duration.ofMinutes(30)));
  }

  private static Tuning.Spans spans(Tuning tuning) {
    Tuning.@Nullable Spans spans = tuning.spans();
    assertThat(spans).isNotNull();
    return Objects.requireNonNull(spans);
  }

  private static double lateShare(LiveTable live, Predicate<Long> time) {
    long rows = 0;
    long late = 0;
    for (LiveTable.LiveStep step : live.steps()) {
      if (time.test(step.timeMillis())) {
        rows += step.facts().times().count();
        late += step.late().total();
      }
    }
    return (double) late / rows;
  }

  private static PolicyText text(FinalizationPolicy policy, int commits) {
    return new PolicyText(policy, commits, Duration.ZERO, Granularity.HOUR);
  }

  private static List<LiveTable.Raw> simulation(String subject) {
    return simulation(subject, 20_000, 1.0);
  }

  private static List<LiveTable.Raw> simulation(String subject, long medianLag, double sigma) {
    PolicySimulation simulation =
        new PolicySimulation(
            new PolicySimulation.Settings(2, RECORDS, medianLag, sigma, 0.001, 60_000, 1.1),
            Seeds.random(subject));
    List<LiveTable.Raw> raws = new ArrayList<>();
    for (int i = 0; i < simulation.commits().size(); i++) {
      raws.add(new LiveTable.Raw(PolicySimulation.commitTime(i), simulation.commits().get(i)));
    }
    return raws;
  }
}
