package dev.tidemark.iceberg.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.io.WriteResult;
import org.junit.jupiter.api.Test;

class CountedWriteResultSerializerTest {
  private final CountedWriteResultSerializer serializer = new CountedWriteResultSerializer();

  @Test
  void filesAndCountsComeBack() throws IOException {
    DataFile data =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .withPath("/data/a.parquet")
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(100)
            .withRecordCount(7)
            .build();
    DeleteFile deletes =
        FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
            .ofEqualityDeletes(1)
            .withPath("/data/b.parquet")
            .withFormat(FileFormat.PARQUET)
            .withFileSizeInBytes(50)
            .withRecordCount(2)
            .build();
    CountedWriteResult result =
        new CountedWriteResult(
            WriteResult.builder().addDataFiles(data).addDeleteFiles(deletes).build(),
            Map.of("event-time", new byte[] {1, 2}, "other", new byte[0]));

    CountedWriteResult read = serializer.deserialize(1, serializer.serialize(result));

    assertThat(read.files().dataFiles())
        .singleElement()
        .satisfies(
            file -> {
              assertThat(file.location()).isEqualTo("/data/a.parquet");
              assertThat(file.recordCount()).isEqualTo(7);
            });
    assertThat(read.files().deleteFiles())
        .singleElement()
        .satisfies(file -> assertThat(file.location()).isEqualTo("/data/b.parquet"));
    assertThat(read.counted()).containsOnlyKeys("event-time", "other");
    assertThat(read.counted().get("event-time")).containsExactly(1, 2);
    assertThat(read.counted().get("other")).isEmpty();
  }

  @Test
  void nothingComesBackAsNothing() throws IOException {
    CountedWriteResult nothing = new CountedWriteResult(WriteResult.builder().build(), Map.of());
    CountedWriteResult read = serializer.deserialize(1, serializer.serialize(nothing));
    assertThat(read.files().dataFiles()).isEmpty();
    assertThat(read.counted()).isEmpty();
  }

  @Test
  void anotherVersionIsRefused() throws IOException {
    byte[] bytes =
        serializer.serialize(new CountedWriteResult(WriteResult.builder().build(), Map.of()));
    assertThatThrownBy(() -> serializer.deserialize(2, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 2 (expected: 1)");
  }

  @Test
  void bytesBehindTheEndAreRefused() throws IOException {
    byte[] bytes =
        serializer.serialize(new CountedWriteResult(WriteResult.builder().build(), Map.of()));
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> serializer.deserialize(1, longer))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write result");
  }
}
