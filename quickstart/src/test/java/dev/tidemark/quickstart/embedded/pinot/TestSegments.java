package dev.tidemark.quickstart.embedded.pinot;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.message.BasicHeader;
import org.apache.pinot.common.utils.FileUploadDownloadClient;
import org.apache.pinot.common.utils.TarCompressionUtils;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentIndexCreationDriverImpl;
import org.apache.pinot.segment.local.segment.readers.GenericRowRecordReader;
import org.apache.pinot.segment.local.utils.SegmentPushUtils;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.filesystem.LocalPinotFS;
import org.apache.pinot.spi.ingestion.batch.spec.PinotClusterSpec;
import org.apache.pinot.spi.ingestion.batch.spec.PushJobSpec;
import org.apache.pinot.spi.ingestion.batch.spec.SegmentGenerationJobSpec;
import org.apache.pinot.spi.ingestion.batch.spec.TableSpec;
import org.apache.pinot.spi.utils.JsonUtils;
import org.jspecify.annotations.Nullable;

/** Builds segments with Pinot's own driver and pushes them with its own client. */
final class TestSegments {
  private TestSegments() {}

  /** The tar of a segment with these rows. */
  static Path build(
      String schemaJson,
      String tableConfigJson,
      String segmentName,
      List<Map<String, @Nullable Object>> rows,
      Path directory)
      throws Exception {
    SegmentGeneratorConfig config =
        new SegmentGeneratorConfig(
            JsonUtils.stringToObject(tableConfigJson, TableConfig.class),
            Schema.fromString(schemaJson));
    config.setOutDir(directory.resolve("built").toString());
    config.setSegmentName(segmentName);
    SegmentIndexCreationDriverImpl driver = new SegmentIndexCreationDriverImpl();
    driver.init(config, new GenericRowRecordReader(rows.stream().map(TestSegments::row).toList()));
    driver.build();
    Path tar = directory.resolve(segmentName + TarCompressionUtils.TAR_GZ_FILE_EXTENSION);
    TarCompressionUtils.createCompressedTarFile(driver.getOutputDirectory(), tar.toFile());
    return tar;
  }

  private static GenericRow row(Map<String, @Nullable Object> values) {
    GenericRow row = new GenericRow();
    values.forEach(row::putValue);
    return row;
  }

  static void pushTar(PinotCluster pinot, Path tar, String rawTableName) throws Exception {
    String name = tar.getFileName().toString().replace(".tar.gz", "");
    List<Header> headers =
        pinot.authorization().<Header>map(value -> new BasicHeader("Authorization", value)).stream()
            .toList();
    try (FileUploadDownloadClient client = new FileUploadDownloadClient()) {
      client.uploadSegment(
          FileUploadDownloadClient.getUploadSegmentURI(URI.create(pinot.controllerUrl())),
          name,
          tar.toFile(),
          headers,
          rawTableName,
          TableType.OFFLINE);
    }
  }

  /** Has the controller fetch the tar into its deep store. */
  static void pushMetadata(PinotCluster pinot, Path tar, String rawTableName) throws Exception {
    PinotClusterSpec cluster = new PinotClusterSpec();
    cluster.setControllerURI(pinot.controllerUrl());
    TableSpec table = new TableSpec();
    table.setTableName(rawTableName);
    PushJobSpec push = new PushJobSpec();
    push.setCopyToDeepStoreForMetadataPush(true);
    SegmentGenerationJobSpec spec = new SegmentGenerationJobSpec();
    spec.setPinotClusterSpecs(new PinotClusterSpec[] {cluster});
    spec.setTableSpec(table);
    spec.setPushJobSpec(push);
    String uri = tar.toUri().toString();
    SegmentPushUtils.sendSegmentUriAndMetadata(spec, new LocalPinotFS(), Map.of(uri, uri));
  }
}
