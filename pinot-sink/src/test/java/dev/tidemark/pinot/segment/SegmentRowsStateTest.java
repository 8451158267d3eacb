package dev.tidemark.pinot.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.apache.pinot.spi.data.DimensionFieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a checkpoint keeps of a half-filled buffer. */
class SegmentRowsStateTest {
  @TempDir Path work;

  @Test
  void writesTheBytesOfVersionOne() throws Exception {
    assertThat(HexFormat.of().formatHex(bytes(pinnedRows()))).isEqualTo(pinned());
  }

  @Test
  void readsTheBytesOfVersionOne() throws Exception {
    SegmentRows read = read(Tables.everyTypeTable(), HexFormat.of().parseHex(pinned()));

    assertThat(read.rows()).isEqualTo(2);
    assertThat(read.times()).isEqualTo(pinnedRows().times());
    try (LoadedSegment ours = load(read, "read");
        LoadedSegment expected = load(pinnedRows(), "expected")) {
      assertThat(ours.allValues()).isEqualTo(expected.allValues());
    }
  }

  @Test
  void rowsGoOnAfterBeingRead() throws Exception {
    SegmentRows read = read(Tables.everyTypeTable(), bytes(pinnedRows()));
    read.add(Tables.row("s", "a", "at", Tables.T0 + 5));
    try (LoadedSegment segment = load(read, "more")) {
      assertThat(segment.values("s")).containsExactly("a", null, "a");
      assertThat(segment.metadata().getColumnMetadataFor("s").getCardinality()).isEqualTo(2);
    }
  }

  @Test
  void anotherVersionIsRefused() throws Exception {
    byte[] bytes = bytes(pinnedRows());
    bytes[0] = 9;
    assertThatThrownBy(() -> read(Tables.everyTypeTable(), bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 9");
  }

  @Test
  void bytesThatEndTooEarlyAreRefused() throws Exception {
    byte[] bytes = bytes(pinnedRows());
    for (int length : new int[] {0, 1, 20, bytes.length / 2, bytes.length - 1}) {
      assertThatThrownBy(() -> read(Tables.everyTypeTable(), Arrays.copyOf(bytes, length)))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aColumnThatTheTableGainedIsNullAndOneThatItLostIsLeftOut() throws Exception {
    Schema changed = Tables.everyType();
    changed.removeField("b");
    changed.removeField("ss");
    changed.addField(new DimensionFieldSpec("added", DataType.STRING, true));
    SegmentTable table = SegmentTable.of(Tables.everyTypeConfig(), changed);

    SegmentRows read = read(table, bytes(pinnedRows()));

    try (LoadedSegment segment = load(read, "changed")) {
      assertThat(segment.values("added")).containsExactly(null, null);
      assertThat(segment.values("i")).containsExactly(1, null);
      assertThat(segment.segment().getPhysicalColumnNames()).doesNotContain("b", "ss");
    }
  }

  @Test
  void aColumnThatChangedItsTypeIsRefused() throws Exception {
    Schema changed = Tables.everyType();
    changed.removeField("i");
    changed.addField(new DimensionFieldSpec("i", DataType.STRING, true));
    SegmentTable table = SegmentTable.of(Tables.everyTypeConfig(), changed);
    assertThatThrownBy(() -> read(table, bytes(pinnedRows())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("column \"i\" was of type INT and is now STRING");
  }

  private static SegmentRows pinnedRows() throws Exception {
    SegmentRows rows = Tables.everyTypeTable().newRows();
    rows.add(
        Tables.row(
            "i",
            1,
            "l",
            2L,
            "f",
            0.5f,
            "d",
            0.25,
            "m",
            8.0,
            "dec",
            new BigDecimal("12.345"),
            "bool",
            true,
            "ts",
            Tables.T0,
            "s",
            "a",
            "j",
            "{\"a\":1}",
            "b",
            new byte[] {0, -1},
            "is",
            List.of(1, 2),
            "ls",
            List.of(3L),
            "fs",
            List.of(1f, 2f),
            "ds",
            List.of(1.5),
            "bools",
            List.of(true, false),
            "tss",
            List.of(Tables.T0),
            "ss",
            List.of("x", "y", "x"),
            "bs",
            List.of(new byte[] {1}, new byte[] {}),
            "at",
            Tables.T0 + 1));
    rows.add(Tables.row("at", Tables.T0));
    return rows;
  }

  private LoadedSegment load(SegmentRows rows, String name) throws Exception {
    return LoadedSegment.of(new SegmentBuilder().build(rows, Tables.identity(name), work));
  }

  private static byte[] bytes(SegmentRows rows) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    rows.writeTo(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  private static SegmentRows read(SegmentTable table, byte[] bytes) throws IOException {
    return SegmentRows.readFrom(table, new DataInputStream(new ByteArrayInputStream(bytes)));
  }

  private static String pinned() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            SegmentRowsStateTest.class.getResourceAsStream("/segment/segment-rows-v1.hex"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }
}
