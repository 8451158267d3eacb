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
  private @Nullable DeltaManifests deltaManifests;
  private @Nullable WriteResult files;

  StoredFiles(Table table, byte[] manifests) {
    this.table = table;
    this.manifests = manifests;
  }

  /** A writer without rows hands over a result without files, so bytes alone tell nothing. */
  @Override
  public boolean isEmpty() {
    return manifests().isEmpty();
  }

  @Override
  public WriteResult read() {
    if (files == null) {
      files = isEmpty() ? WriteResult.builder().build() : readManifests();
    }
    return files;
  }

  /** The temporary manifests. */
  List<ManifestFile> manifests() {
    DeltaManifests stored = deltaManifests();
    return stored == null ? List.of() : stored.manifests();
  }

  private WriteResult readManifests() {
    try {
      return FlinkManifestUtil.readCompletedFiles(deltaManifests(), table.io(), table.specs());
    } catch (IOException e) {
      throw cannotRead(e);
    }
  }

  private @Nullable DeltaManifests deltaManifests() {
    if (deltaManifests == null && manifests.length > 0) {
      try {
        deltaManifests =
            SimpleVersionedSerialization.readVersionAndDeSerialize(
                DeltaManifestsSerializer.INSTANCE, manifests);
      } catch (IOException e) {
        throw cannotRead(e);
      }
    }
    return deltaManifests;
  }

  private UncheckedIOException cannotRead(IOException cause) {
    return new UncheckedIOException(
        "Cannot read the temporary manifests of a checkpoint of table " + table.name(), cause);
  }
}
