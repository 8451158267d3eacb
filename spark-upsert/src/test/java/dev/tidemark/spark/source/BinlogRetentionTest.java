package dev.tidemark.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Servers that the embedded one is not. */
class BinlogRetentionTest {
  private static final Duration WEEK = Duration.ofDays(7);

  @Test
  void serverBeforeSecondsCountsInDays() throws Exception {
    BinlogRetention retention =
        BinlogRetention.of(Map.of("log_bin", "ON", "expire_logs_days", "7"));
    assertThat(retention.isAtLeast(WEEK)).isTrue();
    assertThat(retention.isAtLeast(WEEK.plusSeconds(1))).isFalse();
    assertThat(retention).hasToString("7 days");
  }

  @Test
  void serverWithoutBinlogKeepsNone() throws Exception {
    BinlogRetention retention =
        BinlogRetention.of(Map.of("log_bin", "OFF", "binlog_expire_logs_seconds", "0"));
    assertThat(retention.isAtLeast(WEEK)).isFalse();
    assertThat(retention).hasToString("no binlog: log_bin is off");
  }

  @Test
  void serverThatDoesNotSayIsNotGuessed() {
    assertThatThrownBy(() -> BinlogRetention.of(Map.of("log_bin", "ON")))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("does not say");
  }
}
