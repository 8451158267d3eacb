package dev.tidemark.pinot.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.pinot.spi.config.table.ColumnPartitionConfig;
import org.apache.pinot.spi.config.table.FieldConfig;
import org.apache.pinot.spi.config.table.FieldConfig.EncodingType;
import org.apache.pinot.spi.config.table.SegmentPartitionConfig;
import org.apache.pinot.spi.config.table.StarTreeIndexConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TimestampConfig;
import org.apache.pinot.spi.config.table.TimestampIndexGranularity;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random rows of every type: our segment is the one that Pinot's own driver builds. */
class SegmentEqualityTest {
  private static final List<String> RAW =
      List.of(
          "i", "l", "f", "d", "m", "dec", "bool", "ts", "s", "j", "b", "is", "ls", "fs", "ds",
          "bools", "tss", "ss", "bs", "at");

  @TempDir Path work;

  @Test
  void withDefaultIndexes() throws Exception {
    long seed = RandomRows.seed();
    for (int cardinality : new int[] {1, 3, 200, 1_000_000}) {
      assertEqualSegments(Tables.everyTypeTable(), new RandomRows(seed, cardinality).rows(3_000));
    }
  }

  @Test
  void withoutDictionaries() throws Exception {
    assertEqualSegments(
        Tables.offline("every").setTimeColumnName("at").setNoDictionaryColumns(RAW).build());
  }

  @Test
  void withSecondaryIndexes() throws Exception {
    TableConfig config =
        Tables.offline("every")
            .setTimeColumnName("at")
            .setInvertedIndexColumns(List.of("i", "s", "ss"))
            .setRangeIndexColumns(List.of("l", "at", "d"))
            .setBloomFilterColumns(List.of("s", "i"))
            .setJsonIndexColumns(List.of("j"))
            .setVarLengthDictionaryColumns(List.of("s", "bs"))
            .setCreateInvertedIndexDuringSegmentGeneration(true)
            .build();
    assertEqualSegments(config);
  }

  @Test
  void withDictionariesWherePinotFindsThemWorthwhile() throws Exception {
    assertEqualSegments(
        Tables.offline("every")
            .setTimeColumnName("at")
            .setOptimizeDictionary(true)
            .setOptimizeDictionaryType(true)
            .build());
  }

  @Test
  void withPartitionedColumns() throws Exception {
    SegmentPartitionConfig partitions =
        new SegmentPartitionConfig(
            Map.of(
                "s", new ColumnPartitionConfig("Murmur", 8),
                "l", new ColumnPartitionConfig("Modulo", 5)));
    assertEqualSegments(
        Tables.offline("every")
            .setTimeColumnName("at")
            .setSegmentPartitionConfig(partitions)
            .build());
  }

  @Test
  void withNullHandlingOfTheWholeTable() throws Exception {
    Schema schema = Tables.everyType();
    schema.setEnableColumnBasedNullHandling(false);
    TableConfig config =
        Tables.offline("every").setTimeColumnName("at").setNullHandlingEnabled(true).build();
    assertEqualSegments(
        SegmentTable.of(config, schema), new RandomRows(RandomRows.seed(), 50).rows(1_000));
  }

  @Test
  void withAStarTreeAndATimestampIndex() throws Exception {
    StarTreeIndexConfig tree =
        new StarTreeIndexConfig(
            List.of("i", "bool"), null, List.of("SUM__m", "COUNT__*"), null, 100);
    FieldConfig timestamps =
        new FieldConfig.Builder("ts")
            .withEncodingType(EncodingType.DICTIONARY)
            .withTimestampConfig(new TimestampConfig(List.of(TimestampIndexGranularity.HOUR)))
            .build();
    TableConfig config =
        Tables.offline("every")
            .setTimeColumnName("at")
            .setStarTreeIndexConfigs(List.of(tree))
            .setFieldConfigList(List.of(timestamps))
            .build();
    assertEqualSegments(config);
  }

  @Test
  void ofSortedRows() throws Exception {
    List<GenericRow> rows = new ArrayList<>(new RandomRows(RandomRows.seed(), 400).rows(2_000));
    rows.sort(Comparator.comparing(row -> (Long) row.getValue("at")));
    assertEqualSegments(Tables.everyTypeTable(), rows);
  }

  @Test
  void ofMoreDistinctTextsThanAreWorthLookingUp() throws Exception {
    Schema schema =
        new Schema.SchemaBuilder()
            .setSchemaName("keys")
            .addSingleValueDimension("key", DataType.STRING)
            .addSingleValueDimension("raw", DataType.STRING)
            .build();
    TableConfig config = Tables.offline("keys").setNoDictionaryColumns(List.of("raw")).build();
    long seed = RandomRows.seed();
    Random random = new Random(seed);
    List<GenericRow> rows = new ArrayList<>();
    for (int i = 0; i < 120_000; i++) {
      String key =
          i % 3 == 0 ? "key-" + random.nextInt(1_000) : new UUID(random.nextInt(9), i) + "";
      rows.add(Tables.row("key", key, "raw", key));
    }
    assertEqualSegments(SegmentTable.of(config, schema), rows);
  }

  private void assertEqualSegments(TableConfig config) throws Exception {
    SegmentTable table = SegmentTable.of(config, Tables.everyType());
    long seed = RandomRows.seed();
    assertEqualSegments(table, new RandomRows(seed, 40).rows(2_000));
    assertEqualSegments(table, new RandomRows(seed, 100_000).rows(3_000));
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
      assertThat(ours.properties()).isEqualTo(theirs.properties());
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
