package dev.tidemark.pinot.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.pinot.common.utils.TarCompressionUtils;
import org.apache.pinot.segment.spi.index.metadata.SegmentMetadataImpl;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentBuilderTest {
  @TempDir Path work;

  private final SegmentRows rows = Tables.everyTypeTable().newRows();

  @BeforeEach
  void addRows() throws Exception {
    for (GenericRow row : new RandomRows(7, 30).rows(500)) {
      rows.add(row);
    }
  }

  @Test
  void theSameRowsAndIdentityGiveTheSameCrcAndTheSameTar() throws Exception {
    SegmentIdentity identity = Tables.identity("s_1");
    BuiltSegment first = new SegmentBuilder().build(rows, identity, directory("a"));
    BuiltSegment second = new SegmentBuilder().build(rows, identity, directory("b"));

    assertThat(second.crc()).isEqualTo(first.crc());
    assertThat(Files.mismatch(first.tar(), second.tar())).isEqualTo(-1);
    assertThat(Files.mismatch(first.metadataTar(), second.metadataTar())).isEqualTo(-1);
  }

  @Test
  void nothingButTheTwoTarsIsLeftBehind() throws Exception {
    BuiltSegment built = new SegmentBuilder().build(rows, Tables.identity("s_1"), work);

    try (Stream<Path> left = Files.list(work)) {
      assertThat(left).containsExactlyInAnyOrder(built.tar(), built.metadataTar());
    }
    assertThat(built.tar()).hasFileName("s_1.tar.zst");
    assertThat(built.tarBytes()).isEqualTo(Files.size(built.tar()));
    assertThat(built.rows()).isEqualTo(500);
    assertThat(built.times()).isEqualTo(rows.times());
  }

  @Test
  void gzipHoldsTheSameSegment() throws Exception {
    SegmentIdentity identity = Tables.identity("s_1");
    BuiltSegment zstd = new SegmentBuilder().build(rows, identity, directory("a"));
    BuiltSegment gzip =
        new SegmentBuilder(TarCompression.GZIP).build(rows, identity, directory("b"));

    assertThat(gzip.tar()).hasFileName("s_1.tar.gz");
    assertThat(gzip.crc()).isEqualTo(zstd.crc());
    try (LoadedSegment left = LoadedSegment.of(zstd);
        LoadedSegment right = LoadedSegment.of(gzip)) {
      assertThat(left.allValues()).isEqualTo(right.allValues());
    }
  }

  @Test
  void theMetadataTarIsWhatAMetadataPushReads() throws Exception {
    SegmentIdentity identity =
        new SegmentIdentity(
            "s_1",
            Tables.T0,
            Map.of(
                "facts", "a|b=c; d\\e \u00e9:{} #!",
                "list", "1:2,3:4,,5,",
                "path", "C:\\x,y",
                "empty", "",
                "n", "1"));
    BuiltSegment built = new SegmentBuilder().build(rows, identity, work);

    Path out = directory("metadata");
    List<File> files = TarCompressionUtils.untar(built.metadataTar().toFile(), out.toFile());

    assertThat(files)
        .extracting(File::getName)
        .containsExactlyInAnyOrder("metadata.properties", "creation.meta");
    SegmentMetadataImpl metadata = new SegmentMetadataImpl(out.toFile());
    assertThat(metadata.getName()).isEqualTo("s_1");
    assertThat(metadata.getCrc()).isEqualTo(Long.toString(built.crc()));
    assertThat(metadata.getIndexCreationTime()).isEqualTo(Tables.T0);
    assertThat(metadata.getTotalDocs()).isEqualTo(500);
    assertThat(metadata.getCustomMap()).containsAllEntriesOf(identity.customProperties());
  }

  @Test
  void customValuesThatPinotWouldReadAsOthersAreRefused() {
    for (String value : List.of(" a", "a ", "a\\,b", "a\\", "a\nb", "${env:HOME}")) {
      assertThatThrownBy(() -> new SegmentIdentity("s_1", 1, Map.of("fact", value)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"fact\"");
    }
  }

  @Test
  void noRowsMakeNoSegment() {
    SegmentRows empty = Tables.everyTypeTable().newRows();
    assertThatThrownBy(() -> new SegmentBuilder().build(empty, Tables.identity("s_1"), work))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("s_1");
  }

  @Test
  void aFailedBuildLeavesNothingBehind() throws Exception {
    SegmentIdentity invalid = new SegmentIdentity("s|1", 1, Map.of());
    assertThatThrownBy(() -> new SegmentBuilder().build(rows, invalid, work));
    try (Stream<Path> left = Files.list(work)) {
      assertThat(left).isEmpty();
    }
  }

  private Path directory(String name) throws Exception {
    return Files.createDirectory(work.resolve(name));
  }
}
