package dev.tidemark.cli.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.granule.Granularity;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class QuestionTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  @Test
  void hourIsLocal() {
    assertSpan("2026-01-01T10", ZoneId.of("Asia/Seoul"), "2026-01-01T01:00:00Z", "PT1H");
    assertSpan("2026-01-01T10", ZoneOffset.UTC, "2026-01-01T10:00:00Z", "PT1H");
  }

  @Test
  void dayIsAsLongAsItIsThere() {
    assertSpan("2026-03-29", BERLIN, "2026-03-28T23:00:00Z", "PT23H");
    assertSpan("2026-10-25", BERLIN, "2026-10-24T22:00:00Z", "PT25H");
  }

  @Test
  void hourThatComesTwiceIsBoth() {
    assertSpan("2026-10-25T01", BERLIN, "2026-10-24T23:00:00Z", "PT1H");
    assertSpan("2026-10-25T02", BERLIN, "2026-10-25T00:00:00Z", "PT2H");
    assertSpan("2026-10-25T03", BERLIN, "2026-10-25T02:00:00Z", "PT1H");
  }

  @Test
  void hourThatClocksSkipIsRefused() {
    assertThatThrownBy(() -> Question.parse("2026-03-29T02", BERLIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"2026-03-29T02\" does not exist in Europe/Berlin");
  }

  @Test
  void instantMeansItsGranule() {
    Question question =
        Question.parse("2026-01-01T10:15:00+09:00", ZoneOffset.UTC).within(Granularity.HOUR);
    assertThat(Instant.ofEpochMilli(question.startMillis()))
        .isEqualTo(Instant.parse("2026-01-01T01:00:00Z"));
    assertThat(question.endMillis() - question.startMillis()).isEqualTo(3_600_000);
  }

  @Test
  void anythingElseIsRefusedWithWhatIsExpected() {
    for (String text : new String[] {"now", "2026-01-01T24", "2026-1-1", "2026-01-01T10:15"}) {
      assertThatThrownBy(() -> Question.parse(text, ZoneOffset.UTC))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected: a day 2026-01-01, an hour 2026-01-01T10");
    }
  }

  @Test
  void spanIsNamedAsItIsAskedFor() {
    for (String text : new String[] {"2026-01-01T10", "2026-01-01"}) {
      Question question = Question.parse(text, BERLIN);
      assertThat(TimeText.span(question.startMillis(), question.endMillis(), BERLIN))
          .isEqualTo(text);
    }
  }

  private static void assertSpan(String text, ZoneId zone, String start, String length) {
    Question question = Question.parse(text, zone);
    assertThat(Instant.ofEpochMilli(question.startMillis())).isEqualTo(Instant.parse(start));
    assertThat(Duration.ofMillis(question.endMillis() - question.startMillis()))
        .isEqualTo(Duration.parse(length));
  }
}
