package dev.tidemark.spark.bootstrap;

import dev.tidemark.pipeline.event.ChangeOrder;
import dev.tidemark.pipeline.event.Gtid;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;

/**
 * A position of a MariaDB binlog that a dump holds every change up to, inclusive. Taken
 * <em>before</em> the first row is read: the dump may then hold later changes too, for the ledger
 * brings those again, in their order, and the last of them wins. So a dump may be read over many
 * connections and while the source is written.
 *
 * @param gtid the last transaction
 * @param time the source's time when it was taken
 */
public record DumpPosition(Gtid gtid, Instant time) {

  /**
   * Where the source of a connection stands now.
   *
   * @throws SQLException if it cannot be asked, or writes no binlog of one GTID domain
   */
  public static DumpPosition of(Connection source) throws SQLException {
    try (Statement statement = source.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT @@gtid_current_pos, UNIX_TIMESTAMP(NOW(6)) * 1000")) {
      row.next();
      String text = row.getString(1);
      Gtid gtid =
          Gtid.parse(text)
              .orElseThrow(
                  () ->
                      new SQLException(
                          "Cannot take a position: gtid_current_pos is \""
                              + text
                              + "\" (expected: one GTID, such as 0-1-42). The source needs a binlog"
                              + " and a single GTID domain."));
      return new DumpPosition(gtid, Instant.ofEpochMilli(row.getBigDecimal(2).longValue()));
    }
  }

  /** As an order: above every change of that transaction, below every change of the next. */
  public String cdcOrd() {
    return new ChangeOrder(
            gtid.sequence(), ChangeOrder.MAX_TOTAL_ORDER, Integer.MAX_VALUE, Long.MAX_VALUE)
        .cdcOrd();
  }
}
