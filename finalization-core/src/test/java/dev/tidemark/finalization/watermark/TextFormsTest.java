package dev.tidemark.finalization.watermark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tidemark.finalization.eventtime.EventTimeSketch;
import dev.tidemark.finalization.granule.Granularity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies, holds and configurations as people write and read them. */
class TextFormsTest {

  @ParameterizedTest
  @EnumSource(Hold.Reason.class)
  void everyHoldReadsBackEqual(Hold.Reason reason) {
    for (List<String> names :
        List.of(
            List.<String>of(),
            List.of("events-1"),
            List.of("a", "b", "c", "d"),
            List.of("a", "b", "c", "d", "e"),
            List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"))) {
      Hold hold = Hold.of(reason, names);
      assertThat(Hold.parse(hold.toString())).isEqualTo(hold).hasToString(hold.toString());
    }
  }

  @Test
  void aHoldNamesFourAndCountsTheOthers() {
    assertThat(Hold.of(Hold.Reason.SOURCE_BEHIND, List.of("a", "b", "c", "d", "e", "f")))
        .hasToString("SOURCE_BEHIND(a,b,c,d,+2)");
    assertThat(Hold.of(Hold.Reason.WARM_UP)).hasToString("WARM_UP");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "warm_up", "WARM_UP(", "WARM_UP(a", "WARM_UP)", "PAUSED(a)"})
  void refusesAHoldThatIsNone(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Hold.parse(text))
        .withMessageContaining("Invalid hold: " + text + " (expected: one of [WARM_UP, ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "min",
        "quantile:0.01",
        "quantile:1.0E-4",
        "quantile:0.0",
        "quantile:0.5",
        "bounded-lateness:PT10M",
        "bounded-lateness:PT0S",
        "source-promise"
      })
  void everyPolicyReadsBackEqual(String text) {
    FinalizationPolicy policy = FinalizationPolicy.parse(text);

    assertThat(policy).hasToString(text).isEqualTo(FinalizationPolicy.parse(policy.toString()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "max", "quantile", "quantile:x", "bounded-lateness:10", "bounded-lateness"})
  void refusesAPolicyThatIsNone(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FinalizationPolicy.parse(text))
        .withMessage(
            "Invalid finalization policy: "
                + text
                + " (expected: min, quantile:0.01, bounded-lateness:PT10M or source-promise)");
  }

  @Test
  void refusesAnUpperQuantileAndANegativeLateness() {
    for (double quantile : new double[] {0.99, 0.51, -0.01, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> FinalizationPolicy.quantile(quantile))
          .withMessageContaining("Invalid quantile: " + quantile);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FinalizationPolicy.boundedLateness(Duration.ofMinutes(-1)))
        .withMessage("Invalid lateness: PT-1M (expected: zero or positive)");
  }

  @Test
  void everyPolicyHasItsStatisticAndEvidence() {
    long[] times = new long[101];
    for (int i = 0; i <= 100; i++) {
      times[i] = i * 60_000L;
    }
    EventTimeSketch sketch = EventTimeSketch.of(times);

    assertThat(FinalizationPolicy.MIN.statistic(sketch)).isZero();
    assertThat(FinalizationPolicy.quantile(0).statistic(sketch)).isZero();
    assertThat(FinalizationPolicy.quantile(0.1).statistic(sketch))
        .isBetween(9 * 60_000L, 11 * 60_000L);
    assertThat(FinalizationPolicy.boundedLateness(Duration.ofMinutes(10)).statistic(sketch))
        .isEqualTo(90 * 60_000L);
    assertThat(FinalizationPolicy.MIN.evidence()).isEqualTo(Evidence.ESTIMATE);
    assertThat(FinalizationPolicy.quantile(0.1).evidence()).isEqualTo(Evidence.ESTIMATE);
    assertThat(FinalizationPolicy.SOURCE_PROMISE.evidence()).isEqualTo(Evidence.PROMISE);
  }

  @Test
  void thePolicyTextReadsBackEqual() {
    PolicyText text =
        FinalizationConfig.forWriter("orders")
            .policy(FinalizationPolicy.quantile(0.001))
            .lookback(24, Duration.ofHours(2))
            .granularity(Granularity.parse("P1D@Asia/Seoul"))
            .build()
            .policyText();

    assertThat(text).hasToString("quantile:0.001;24;PT2H;P1D@Asia/Seoul");
    assertThat(PolicyText.parse(text.toString())).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "min",
        "min;x;PT30M;PT1H",
        "min;6;30;PT1H",
        "min;6;PT30M",
        "a;6;PT30M;PT1H",
        "min;6;PT30M;PT7H"
      })
  void refusesAPolicyTextThatIsNone(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PolicyText.parse(text))
        .withMessageContaining("Invalid ");
  }

  @Test
  void theDefaultsAreThoseOfTheContract() {
    FinalizationConfig config = FinalizationConfig.forWriter("orders").build();

    assertThat(config.policyText()).hasToString("min;6;PT30M;PT1H");
    assertThat(config.idleRule()).isEqualTo(FinalizationConfig.IdleRule.PASS);
    assertThat(config.idleTimeout()).isNull();
    assertThat(config.readFrom()).isNull();
    assertThat(config.bootstrapPending()).isFalse();
    assertThat(config.coverageExpected()).isFalse();
    assertThat(FinalizationConfig.forWriter("orders").readFromBeginning().build().readFrom())
        .isEqualTo(Instant.EPOCH);
  }

  @Test
  void aPromiseAndAnIdleTimeoutNeedCoverage() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                FinalizationConfig.forWriter("orders")
                    .policy(FinalizationPolicy.SOURCE_PROMISE)
                    .build())
        .withMessageContaining("source-promise without coverage");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> FinalizationConfig.forWriter("orders").idleTimeout(Duration.ofMinutes(5)).build())
        .withMessageContaining("PT5M without coverage");
    assertThat(
            FinalizationConfig.forWriter("orders")
                .coverageExpected()
                .policy(FinalizationPolicy.SOURCE_PROMISE)
                .idleTimeout(Duration.ofMinutes(5))
                .build()
                .policy())
        .isEqualTo(FinalizationPolicy.SOURCE_PROMISE);
  }

  @Test
  void refusesSettingsThatCannotBe() {
    for (String writer : List.of("", "two words", "a,b", "a=b", "x".repeat(65))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> FinalizationConfig.forWriter(writer))
          .withMessageContaining("Invalid writer name: \"" + writer + "\"");
    }
    FinalizationConfig.Builder builder = FinalizationConfig.forWriter("orders");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.lookback(0, Duration.ZERO))
        .withMessageContaining("Invalid lookback: 0 commits");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.lookback(1, Duration.ofSeconds(-1)))
        .withMessageContaining("PT-1S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.idleTimeout(Duration.ZERO))
        .withMessageContaining("Invalid idle timeout: PT0S");
  }

  @Test
  void evidenceReadsBackEqual() {
    for (Evidence evidence : Set.of(Evidence.ESTIMATE, Evidence.PROMISE)) {
      assertThat(Evidence.parse(evidence.toString())).isEqualTo(evidence);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Evidence.parse("PROMISE"))
        .withMessage("Invalid evidence: PROMISE (expected: estimate or promise)");
  }
}
