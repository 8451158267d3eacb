package dev.tidemark.quickstart.mainjob;

import dev.tidemark.pipeline.ledger.FoldedRow;
import dev.tidemark.pipeline.ledger.LedgerFold;
import dev.tidemark.pipeline.ledger.LedgerRow;
import dev.tidemark.quickstart.program.RowComparison;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/**
 * The ledger, folded to the last state of each key, beside the database, row by row.
 *
 * @param changes rows in the ledger
 * @param rows the comparison
 */
record LedgerCheck(int changes, RowComparison rows) {
  static LedgerCheck compare(Table ledger, SortedMap<Integer, String> database) throws IOException {
    List<LedgerRow> changes = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(ledger).build()) {
      records.forEach(record -> changes.add(LedgerRow.of(LedgerJob.LEDGER, record)));
    }
    SortedMap<Integer, String> folded = new TreeMap<>();
    for (Map.Entry<List<Object>, FoldedRow> entry : LedgerFold.fold(changes).entrySet()) {
      folded.put((Integer) entry.getKey().get(0), entry.getValue().image().toJson());
    }
    return new LedgerCheck(
        changes.size(),
        RowComparison.of(
            new RowComparison.Rows<>("MariaDB", database),
            new RowComparison.Rows<>("ledger", folded)));
  }
}
