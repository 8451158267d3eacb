package dev.tidemark.spark.source;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long a server keeps its binlog.
 *
 * @param isWritten whether there is one
 * @param time after which a file of it is removed; null for never
 * @param bytes beyond which the oldest file is removed, however young; null for no limit
 */
public record BinlogRetention(boolean isWritten, @Nullable Duration time, @Nullable Long bytes) {

  /**
   * Reads the server's variables. {@code binlog_expire_logs_seconds} came with MariaDB 10.6;
   * before, and beside it, there is {@code expire_logs_days}. 0 is for ever.
   *
   * @throws SQLException if they do not say
   */
  static BinlogRetention of(Map<String, String> variables) throws SQLException {
    String seconds = variables.get("binlog_expire_logs_seconds");
    String days = variables.get("expire_logs_days");
    String written = variables.get("log_bin");
    if (written == null || (seconds == null && days == null)) {
      throw new SQLException(
          "the server does not say how long it keeps its binlog: %s (expected: log_bin, and binlog_expire_logs_seconds or expire_logs_days)"
              .formatted(variables));
    }
    long kept =
        seconds == null
            ? new BigDecimal(days).multiply(BigDecimal.valueOf(86_400)).longValue()
            : Long.parseLong(seconds);
    String limit = variables.getOrDefault("max_binlog_total_size", "0");
    return new BinlogRetention(
        written.equals("ON") || written.equals("1"),
        kept == 0 ? null : Duration.ofSeconds(kept),
        limit.equals("0") ? null : Long.valueOf(limit));
  }

  /** Whether a file of it is never removed before this time. */
  public boolean isAtLeast(Duration wanted) {
    return isWritten && (time == null || time.compareTo(wanted) >= 0);
  }

  @Override
  public String toString() {
    if (!isWritten) {
      return "no binlog: log_bin is off";
    }
    String limit = bytes == null ? "" : ", and at most %,d bytes".formatted(bytes);
    return (time == null ? "kept for ever" : days(time) + " days") + limit;
  }

  private static String days(Duration time) {
    return BigDecimal.valueOf(time.toSeconds())
        .divide(BigDecimal.valueOf(86_400), 1, java.math.RoundingMode.DOWN)
        .stripTrailingZeros()
        .toPlainString();
  }
}
