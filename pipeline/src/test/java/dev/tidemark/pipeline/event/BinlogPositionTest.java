package dev.tidemark.pipeline.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BinlogPositionTest {
  private static final BinlogPosition POSITION =
      new BinlogPosition(new Gtid(0, 1, 42), Instant.parse("2026-01-01T10:10:00.123Z"));

  @Test
  void textIsReadBack() {
    assertThat(POSITION).hasToString("0-1-42@2026-01-01T10:10:00.123Z");
    assertThat(BinlogPosition.parse(POSITION.toString())).isEqualTo(POSITION);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0-1-42", "0-1@2026-01-01T10:10:00Z", "0-1-42@yesterday"})
  void otherTextIsRefused(String text) {
    assertThatThrownBy(() -> BinlogPosition.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Invalid position: \"" + text + "\"");
  }

  @Test
  void orderLiesBetweenTheChangesOfTwoTransactions() {
    ChangeOrder last = new ChangeOrder(42, ChangeOrder.MAX_TOTAL_ORDER, 7, 1_000_000);
    ChangeOrder next = new ChangeOrder(43, 1, 0, 0);
    assertThat(POSITION.cdcOrd()).isGreaterThan(last.cdcOrd()).isLessThan(next.cdcOrd());
  }
}
