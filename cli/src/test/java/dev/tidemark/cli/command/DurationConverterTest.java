package dev.tidemark.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {
  private final DurationConverter converter = new DurationConverter();

  @Test
  void readsWhatPeopleWriteAndIso() {
    assertThat(converter.convert("30m")).isEqualTo(Duration.ofMinutes(30));
    assertThat(converter.convert("PT30M")).isEqualTo(Duration.ofMinutes(30));
    assertThat(converter.convert("2h")).isEqualTo(Duration.ofHours(2));
    assertThat(converter.convert("1h30m")).isEqualTo(Duration.ofMinutes(90));
    assertThat(converter.convert("7d")).isEqualTo(Duration.ofDays(7));
    assertThat(converter.convert("0s")).isZero();
    assertThat(converter.convert("500ms")).isEqualTo(Duration.ofMillis(500));
    assertThat(Spans.parse("1h30m")).isEqualTo(Duration.ofMinutes(90));
  }

  @Test
  void refusesWhatIsNone() {
    for (String text : new String[] {"", "30", "m", "-PT1H", "soon", "1m1h"}) {
      assertThatThrownBy(() -> converter.convert(text))
          .as(text)
          .isInstanceOf(TypeConversionException.class)
          .hasMessageContaining("is no duration (expected: such as 30m");
    }
  }
}
