package dev.tidemark.iceberg.flink.internal;

import dev.tidemark.iceberg.commit.TableCommit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.sink.DeltaManifests;
import org.apache.iceberg.flink.sink.DeltaManifestsSerializer;
import org.apache.iceberg.flink.sink.FlinkManifestUtil;
import org.apache.iceberg.io.WriteResult;
import org.jspecify.annotations.Nullable;

/** The files of a committable, kept in temporary manifests until they are committed. */
final class StoredFiles implements TableCommit.Files {
  private final Table table;
  private final byte[] manifests;
  private @Nullable WriteResult files;

  StoredFiles(Table table, byte[] manifests) {
    this.table = table;
    this.manifests = manifests;
  }

  @Override
  public boolean isEmpty() {
    return manifests.length == 0;
  }

  @Override
  public WriteResult read() {
    if (files == null) {
      files = isEmpty() ? WriteResult.builder().build() : readManifests();
    }
    return files;
  }

  /** The temporary manifests. */
  List<ManifestFile> manifests() throws IOException {
    return isEmpty() ? List.of() : deltaManifests().manifests();
  }

  private WriteResult readManifests() {
    try {
      return FlinkManifestUtil.readCompletedFiles(deltaManifests(), table.io(), table.specs());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot read the temporary manifests of a checkpoint of table " + table.name(), e);
    }
  }

  private DeltaManifests deltaManifests() throws IOException {
    return SimpleVersionedSerialization.readVersionAndDeSerialize(
        DeltaManifestsSerializer.INSTANCE, manifests);
  }
}
