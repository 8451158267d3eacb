package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.pinot.commit.PinotCommit;
import dev.tidemark.pinot.segment.RejectedRowException;
import dev.tidemark.pinot.segment.Run;
import dev.tidemark.pinot.segment.SegmentRows;
import dev.tidemark.pinot.segment.SegmentTable;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.junit.jupiter.api.Test;

/** The bytes that checkpoints hold, pinned: version 1 is read for ever. */
class SerializersTest {
  private static final Run RUN = new Run("march", 1_767_225_600_000L, 3, 41L);
  private static final StagedSegment SEGMENT =
      new StagedSegment(
          "a_march_3_1_12",
          0xFFFF_FFFFL,
          new StagedSegment.Files("file:/s/a.tar.zst", "file:/s/a.metadata.tar.gz", 4_711),
          2,
          500_000,
          1_767_225_600_123L,
          new StagedSegment.Times(-5, 1_767_225_600_000L));
  private static final StagedSegment BARE =
      new StagedSegment("a_march_0_0_0", 7, new StagedSegment.Files("t", "m", 1), null, 1, 0, null);
  private static final Map<String, byte[]> FACTS = Map.of("event-time", new byte[] {9, 8, 7});

  @Test
  void writerResult() throws IOException {
    WriterResult result =
        new WriterResult(RUN, true, List.of(SEGMENT, BARE), List.of(FACTS, Map.of()));
    WriterResult read = pinned("writer-result-v1.hex", new WriterResultSerializer(), result);
    assertThat(read.run()).isEqualTo(RUN);
    assertThat(read.ended()).isTrue();
    assertThat(read.segments()).containsExactly(SEGMENT, BARE);
    assertThat(read.facts()).hasSize(2);
    assertThat(read.facts().get(0).get("event-time")).containsExactly(9, 8, 7);
  }

  @Test
  void committable() throws IOException {
    PinotCommit commit =
        new PinotCommit(
            new CommitId(UUID.fromString("0b5b2a3c-8f1e-4d6a-9c3b-7e2f1a0d4c5b")),
            RUN,
            Long.MAX_VALUE,
            new PinotCommit.Delivery(false, true),
            List.of(SEGMENT),
            FACTS);
    SinkCommittable read =
        pinned(
            "committable-v1.hex", new SinkCommittableSerializer(), new SinkCommittable(commit, 42));
    assertThat(read.carriedBy()).isEqualTo(42);
    assertThat(read.commit().id()).isEqualTo(commit.id());
    assertThat(read.commit().run()).isEqualTo(RUN);
    assertThat(read.commit().checkpointId()).isEqualTo(Long.MAX_VALUE);
    assertThat(read.commit().delivery()).isEqualTo(commit.delivery());
    assertThat(read.commit().segments()).containsExactly(SEGMENT);
    assertThat(read.commit().accumulated().get("event-time")).containsExactly(9, 8, 7);
  }

  @Test
  void stagedSegmentInWriterState() throws IOException {
    WriterState state =
        new WriterState(RUN, 1_235, new WriterState.Staged(SEGMENT, List.of(FACTS)));
    WriterState read = pinned("writer-state-staged-v2.hex", serializer(), state);
    assertThat(read.content()).isInstanceOf(WriterState.Staged.class);
    assertThat(((WriterState.Staged) Objects.requireNonNull(read.content())).segment())
        .isEqualTo(SEGMENT);
    assertThat(read.nextOpening()).isEqualTo(1_235);
    WriterState first = firstVersion("writer-state-staged-v1.hex");
    assertThat(((WriterState.Staged) Objects.requireNonNull(first.content())).segment())
        .isEqualTo(SEGMENT);
    assertThat(first.nextOpening()).isZero();
  }

  @Test
  void openRowsInWriterState() throws IOException, RejectedRowException {
    SegmentRows rows = table().newRows();
    for (int i = 0; i < 3; i++) {
      GenericRow row = new GenericRow();
      row.putValue("id", i);
      rows.add(row);
    }
    WriterState state =
        new WriterState(RUN, 1_235, new WriterState.OpenRows(3, 1_234, rows, List.of(FACTS)));
    byte[] bytes = serializer().serialize(state);
    WriterState read = serializer().deserialize(2, bytes);
    WriterState.OpenRows open = (WriterState.OpenRows) Objects.requireNonNull(read.content());
    assertThat(open.partition()).isEqualTo(3);
    assertThat(open.openedAt()).isEqualTo(1_234);
    assertThat(open.rows().rows()).isEqualTo(3);
    assertThat(open.facts().get(0).get("event-time")).containsExactly(9, 8, 7);
    assertThat(serializer().serialize(read)).isEqualTo(bytes);
  }

  @Test
  void rowsAreAllocatedOnceInACheckpoint() throws IOException, RejectedRowException {
    SegmentRows rows = table().newRows();
    GenericRow row = new GenericRow();
    for (int i = 0; i < 200_000; i++) {
      row.putValue("id", i);
      rows.add(row);
    }
    WriterState state = new WriterState(RUN, 0, new WriterState.OpenRows(3, 0, rows, List.of()));
    int length = serializer().serialize(state).length;
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    serializer().serialize(state);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(length * 3L / 2);
  }

  @Test
  void runAloneInWriterState() throws IOException {
    WriterState state = new WriterState(RUN, 1_235, null);
    assertThat(pinned("writer-state-run-v2.hex", serializer(), state)).isEqualTo(state);
    assertThat(firstVersion("writer-state-run-v1.hex")).isEqualTo(new WriterState(RUN, 0, null));
  }

  @Test
  void truncatedBytesAreNotHalfRead() {
    byte[] bytes =
        new WriterResultSerializer()
            .serialize(new WriterResult(RUN, true, List.of(SEGMENT), List.of(FACTS)));
    for (int length = 0; length < bytes.length; length++) {
      byte[] truncated = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> new WriterResultSerializer().deserialize(1, truncated))
          .as("%s of %s bytes", length, bytes.length)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aNewerVersionIsRefused() {
    assertThatThrownBy(() -> new WriterResultSerializer().deserialize(2, new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 2 (expected: 1 to 1");
  }

  private static WriterStateSerializer serializer() {
    return new WriterStateSerializer(table());
  }

  private static SegmentTable table() {
    return SegmentTable.of(
        new TableConfigBuilder(TableType.OFFLINE).setTableName("a").build(),
        new Schema.SchemaBuilder()
            .setSchemaName("a")
            .addSingleValueDimension("id", FieldSpec.DataType.INT)
            .build());
  }

  /** Compares the bytes with the pinned ones, and reads those. */
  private static <V> V pinned(String file, SimpleVersionedSerializer<V> serializer, V value)
      throws IOException {
    assertThat(HexFormat.of().formatHex(serializer.serialize(value))).as(file).isEqualTo(hex(file));
    return serializer.deserialize(serializer.getVersion(), HexFormat.of().parseHex(hex(file)));
  }

  private static WriterState firstVersion(String file) throws IOException {
    return serializer().deserialize(1, HexFormat.of().parseHex(hex(file)));
  }

  private static String hex(String file) throws IOException {
    try (InputStream in = SerializersTest.class.getResourceAsStream(file)) {
      return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.US_ASCII)
          .replaceAll("\\s", "");
    }
  }
}
