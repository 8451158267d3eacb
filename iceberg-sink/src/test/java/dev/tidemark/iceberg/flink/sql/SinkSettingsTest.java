package dev.tidemark.iceberg.flink.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.eventtime.EventTimeUnit;
import dev.tidemark.finalization.flink.sql.FinalizationOptions;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.commit.MirrorMode;
import dev.tidemark.iceberg.flink.EventTimeColumn;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SinkSettingsTest {
  private static final Map<String, String> LEAST =
      Map.of("tidemark.sink.writer", "w", "tidemark.sink.event-time.column", "ts");

  @Test
  void propertiesOfOthersSayNothing() {
    assertThat(
            SinkSettings.read(
                Map.of("finalization.writers", "w=-", "write.upsert.enabled", "true")))
        .isEmpty();
  }

  @Test
  void defaultsAreThoseOfTheSink() {
    SinkSettings settings = SinkSettings.read(LEAST).orElseThrow();

    FinalizationConfig expected = FinalizationConfig.forWriter("w").build();
    assertThat(settings.finalization().config()).usingRecursiveComparison().isEqualTo(expected);
    assertThat(settings.eventTime()).isEqualTo(EventTimeColumn.timestamp("ts"));
    assertThat(settings.mirrorMode()).isEqualTo(MirrorMode.SAME_COMMIT);
    assertThat(settings.finalization().inputIsComplete()).isFalse();
  }

  @Test
  void readsEveryOption() {
    SinkSettings settings =
        SinkSettings.read(
                with(
                    Map.of(
                        "event-time.unit", "iso-8601",
                        "event-time.snapshot-column", "s",
                        "event-time.backfill-column", "b",
                        "policy", "bounded-lateness:PT10M",
                        "lookback.commits", "2",
                        "lookback.span", "1 h",
                        "granularity", "P1D@Asia/Seoul",
                        "read-from", "2026-01-01T00:00:00Z",
                        "input-is-complete", "TRUE",
                        "mirror-mode", "Post_Commit")))
            .orElseThrow();

    assertThat(settings.finalization().config().policyText())
        .hasToString("bounded-lateness:PT10M;2;PT1H;P1D@Asia/Seoul");
    assertThat(settings.finalization().config().readFrom())
        .isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    assertThat(settings.eventTime())
        .isEqualTo(new EventTimeColumn("ts", EventTimeUnit.ISO_8601, "s", "b"));
    assertThat(settings.mirrorMode()).isEqualTo(MirrorMode.POST_COMMIT);
    assertThat(settings.finalization().inputIsComplete()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "writer | two words | a name of 1 to 64",
        "event-time.unit | hours | one of seconds, millis",
        "policy | p99 | min, quantile:Q",
        "policy | quantile:0.99 | Q from 0 to 0.5",
        "lookback.commits | six | a whole number",
        "lookback.commits | 0 | at least 1",
        "lookback.span | PT-1S | zero or more",
        "granularity | PT7H | divides a day",
        "read-from | yesterday | beginning, or an instant",
        "input-is-complete | yes | true or false",
        "mirror-mode | never | same_commit or post_commit",
      })
  void namesTheOptionTheValueAndWhatWasExpected(String option, String value, String expected) {
    assertThatThrownBy(() -> SinkSettings.read(with(Map.of(option, value))))
        .isInstanceOf(ValidationException.class)
        .hasMessageStartingWith(
            "Invalid table option 'tidemark.sink." + option + "' = '" + value + "' (expected: ")
        .hasMessageContaining(expected);
  }

  @Test
  void coverageIsOutOfReach() {
    assertThatThrownBy(() -> SinkSettings.read(with(Map.of("policy", "source-promise"))))
        .hasMessageContaining("coverage of the DataStream API");
  }

  @Test
  void writerAndColumnAreRequired() {
    assertThatThrownBy(() -> SinkSettings.read(Map.of("tidemark.sink.policy", "min")))
        .hasMessageStartingWith("Cannot finalize without 'tidemark.sink.writer'");
    assertThatThrownBy(() -> SinkSettings.read(Map.of("tidemark.sink.writer", "w")))
        .hasMessageStartingWith("Cannot finalize without 'tidemark.sink.event-time.column'");
  }

  private static Map<String, String> with(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(LEAST);
    more.forEach((key, value) -> all.put(FinalizationOptions.PREFIX + key, value));
    return all;
  }
}
