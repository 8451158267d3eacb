package dev.tidemark.pinot.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.nio.file.Path;
import java.util.List;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random rows of every type: our segment is the one that Pinot's own driver builds. */
class SegmentEqualityTest {
  @TempDir Path work;

  @Test
  void segmentsHaveTheCrcAndTheValuesOfTheStockDrivers() throws Exception {
    long seed = RandomRows.seed();
    for (int cardinality : new int[] {1, 3, 200, 1_000_000}) {
      assertEqualSegments(Tables.everyTypeTable(), new RandomRows(seed, cardinality).rows(3_000));
    }
  }

  private void assertEqualSegments(SegmentTable table, List<GenericRow> rows) throws Exception {
    SegmentIdentity identity = Tables.identity("every_run_0_0_" + rows.hashCode());
    StockDriver.Stock stock = StockDriver.build(table, rows, identity, work);
    SegmentRows buffer = table.newRows();
    for (GenericRow row : rows) {
      assertThat(buffer.add(row)).isEqualTo(1);
    }

    BuiltSegment built = new SegmentBuilder().build(buffer, identity, work);
    BuiltSegment again = new SegmentBuilder().build(throughState(buffer), identity, work);

    try (LoadedSegment theirs = LoadedSegment.ofDirectory(stock.directory());
        LoadedSegment ours = LoadedSegment.of(built)) {
      assertThat(ours.allValues()).isEqualTo(theirs.allValues());
      assertThat(built.crc()).isEqualTo(stock.crc());
      assertThat(again.crc()).isEqualTo(stock.crc());
    }
  }

  private static SegmentRows throughState(SegmentRows rows) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    rows.writeTo(new DataOutputStream(bytes));
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    SegmentRows read = SegmentRows.readFrom(rows.table(), in);
    assertThat(in.available()).isZero();
    return read;
  }
}
