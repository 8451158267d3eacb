package dev.tidemark.iceberg.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.finalization.commit.CommitId;
import dev.tidemark.finalization.coverage.Coverage;
import dev.tidemark.finalization.coverage.PartitionProgress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.iceberg.flink.sink.IcebergCommittableSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SinkCommittableSerializerTest {
  private final SinkCommittableSerializer serializer = new SinkCommittableSerializer();

  @Test
  void writesTheBytesOfVersionOne() throws IOException {
    assertThat(serializer.getVersion()).isEqualTo(1);
    assertThat(HexFormat.of().formatHex(serializer.serialize(committable(trailer()))))
        .isEqualTo(pinned());
  }

  @Test
  void readsTheBytesOfVersionOne() throws IOException {
    SinkCommittable read = serializer.deserialize(1, HexFormat.of().parseHex(pinned()));

    assertThat(read.jobId()).isEqualTo("job");
    assertThat(read.operatorId()).isEqualTo("operator");
    assertThat(read.checkpointId()).isEqualTo(42);
    assertThat(read.manifests()).containsExactly(1, 2, 3);
    assertTrailer(read.trailer());
  }

  @Test
  void committableOfTheStockSinkHasNoTrailer() throws IOException {
    SinkCommittable stock = committable(null);
    SinkCommittable read = serializer.deserialize(1, serializer.serialize(stock));
    assertThat(read.trailer()).isNull();
    assertThat(read).isEqualTo(stock);
    assertThat(read.manifests()).containsExactly(1, 2, 3);
  }

  @Test
  void stockSerializerReadsOurBytesAndWeReadItsBytes() throws IOException {
    StockSerializer<?> stock = StockSerializer.create();
    byte[] ours = serializer.serialize(committable(trailer()));

    byte[] theirs = stock.rewritten(ours);

    assertThat(theirs).isEqualTo(serializer.serialize(committable(null)));
    assertThat(stock.described(ours)).contains("job", "operator", "42");
    SinkCommittable read = serializer.deserialize(1, theirs);
    assertThat(read).isEqualTo(committable(null));
    assertThat(read.manifests()).containsExactly(1, 2, 3);
  }

  @Test
  void emptyCommittableKeepsItsTrailer() throws IOException {
    SinkCommittable empty = new SinkCommittable(new byte[0], "job", "operator", 7, trailer());
    SinkCommittable read = serializer.deserialize(1, serializer.serialize(empty));
    assertThat(read.manifests()).isEmpty();
    assertTrailer(read.trailer());
  }

  @Test
  void everyDamagedBitOfTheTrailerIsRefused() throws IOException {
    byte[] bytes = serializer.serialize(committable(trailer()));
    int start = serializer.serialize(committable(null)).length;
    for (int i = start * 8; i < bytes.length * 8; i++) {
      byte[] damaged = bytes.clone();
      damaged[i / 8] ^= (byte) (1 << (i % 8));
      assertThatThrownBy(() -> serializer.deserialize(1, damaged))
          .as("bit %s of %s bytes", i, bytes.length)
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void everyTruncationOfTheTrailerIsRefused() throws IOException {
    byte[] bytes = serializer.serialize(committable(trailer()));
    int start = serializer.serialize(committable(null)).length;
    for (int length = start + 1; length < bytes.length; length++) {
      byte[] truncated = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> serializer.deserialize(1, truncated))
          .as("%s of %s bytes", length, bytes.length)
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void bytesBehindTheTrailerAreRefused() throws IOException {
    byte[] bytes = serializer.serialize(committable(trailer()));
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> serializer.deserialize(1, longer)).isInstanceOf(IOException.class);
  }

  @Test
  void damageNamesTheCheckpoint() throws IOException {
    byte[] bytes = serializer.serialize(committable(trailer()));
    bytes[bytes.length - 1] ^= 1;
    assertThatThrownBy(() -> serializer.deserialize(1, bytes))
        .isInstanceOf(IOException.class)
        .hasMessage("Cannot read committable of checkpoint 42: its trailer is damaged or foreign");
  }

  @Test
  void anotherVersionIsRefused() throws IOException {
    byte[] bytes = serializer.serialize(committable(null));
    assertThatThrownBy(() -> serializer.deserialize(2, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 2 (expected: 1)");
  }

  private static SinkCommittable committable(SinkCommittable.@Nullable Trailer trailer) {
    return new SinkCommittable(new byte[] {1, 2, 3}, "job", "operator", 42, trailer);
  }

  private static SinkCommittable.Trailer trailer() {
    return new SinkCommittable.Trailer(
        new CommitId(UUID.fromString("0b5b2a3c-8f1e-4d6a-9c3b-7e2f1a0d4c5b")),
        1_767_261_900_000L,
        Map.of("event-time", new byte[] {9, 8, 7}),
        coverage(),
        true);
  }

  private static Coverage coverage() {
    TreeMap<String, PartitionProgress> partitions = new TreeMap<>();
    partitions.put("events-0", PartitionProgress.at(17, 1_767_261_000_000L));
    return Coverage.of(partitions);
  }

  private static void assertTrailer(SinkCommittable.@Nullable Trailer read) {
    SinkCommittable.Trailer trailer = Objects.requireNonNull(read);
    assertThat(trailer.id()).isEqualTo(trailer().id());
    assertThat(trailer.createdAtMillis()).isEqualTo(1_767_261_900_000L);
    assertThat(trailer.inputEnded()).isTrue();
    assertThat(trailer.coverage()).isEqualTo(coverage());
    assertThat(trailer.accumulated()).containsOnlyKeys("event-time");
    assertThat(trailer.accumulated().get("event-time")).containsExactly(9, 8, 7);
  }

  private static String pinned() throws IOException {
    try (InputStream in =
        SinkCommittableSerializerTest.class.getResourceAsStream("sink-committable-v1.hex")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII)
          .replaceAll("\\s", "");
    }
  }

  /** The stock serializer is public, what it reads is not: a type variable stands for it. */
  private record StockSerializer<T>(SimpleVersionedSerializer<T> inside) {
    static StockSerializer<?> create() {
      return new StockSerializer<>(new IcebergCommittableSerializer());
    }

    byte[] rewritten(byte[] bytes) throws IOException {
      return inside.serialize(inside.deserialize(inside.getVersion(), bytes));
    }

    String described(byte[] bytes) throws IOException {
      return String.valueOf(inside.deserialize(inside.getVersion(), bytes));
    }
  }
}
