package dev.tidemark.quickstart.mainjob;

import dev.tidemark.pipeline.ledger.FoldedRow;
import dev.tidemark.pipeline.ledger.LedgerFold;
import dev.tidemark.pipeline.ledger.LedgerRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/**
 * The ledger, folded to the last state of each key, beside the database, row by row.
 *
 * @param changes rows in the ledger
 * @param databaseRows rows in the database
 * @param differences a line for each row that differs, the first few
 * @param differing how many rows differ
 */
record LedgerCheck(int changes, int databaseRows, List<String> differences, int differing) {
  private static final int SHOWN = 5;

  boolean agrees() {
    return differing == 0;
  }

  static LedgerCheck compare(Table ledger, SortedMap<Integer, String> database) throws IOException {
    List<LedgerRow> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(ledger).build()) {
      records.forEach(record -> rows.add(LedgerRow.of(LedgerJob.LEDGER, record)));
    }
    SortedMap<Integer, String> folded = new TreeMap<>();
    for (Map.Entry<List<Object>, FoldedRow> entry : LedgerFold.fold(rows).entrySet()) {
      folded.put((Integer) entry.getKey().get(0), entry.getValue().image().toJson());
    }
    return compare("ledger", rows.size(), folded, database);
  }

  /**
   * Rows of any origin beside the database.
   *
   * @param name of the origin, for people
   * @param changes how many changes they come from
   */
  static LedgerCheck compare(
      String name,
      int changes,
      SortedMap<Integer, String> found,
      SortedMap<Integer, String> database) {
    SortedSet<Integer> ids = new TreeSet<>(found.keySet());
    ids.addAll(database.keySet());
    List<String> differences = new ArrayList<>();
    int differing = 0;
    for (Integer id : ids) {
      String theirs = database.get(id);
      String ours = found.get(id);
      if (theirs == null || !theirs.equals(ours)) {
        differing++;
        if (differences.size() < SHOWN) {
          differences.add("flight " + id + ": " + name + " " + ours + ", MariaDB " + theirs);
        }
      }
    }
    return new LedgerCheck(changes, database.size(), differences, differing);
  }
}
