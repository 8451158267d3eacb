package dev.tidemark.quickstart.mainjob;

import dev.tidemark.finalization.watermark.FinalizationProperties;
import dev.tidemark.finalization.watermark.Opinion;
import dev.tidemark.pinot.commit.OpinionSource;
import dev.tidemark.pinot.commit.PinotCommit;
import java.util.Optional;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.TableLoader;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * What the Iceberg table that the same job fills says of itself, for Pinot to say too. A commit of
 * Pinot holds every row up to its checkpoint, so it may say what Iceberg said at that checkpoint or
 * at an earlier one, never what it said later. Where Iceberg is behind, Pinot's next commit catches
 * up.
 */
final class IcebergOpinion implements OpinionSource {
  private static final long serialVersionUID = 1L;
  private static final String CHECKPOINT = "flink.max-committed-checkpoint-id";

  private final TableLoader loader;
  private transient @Nullable Table table;

  IcebergOpinion(TableLoader loader) {
    this.loader = loader;
  }

  @Override
  public Optional<Opinion> opinionAfter(PinotCommit commit) {
    Table current = table();
    current.refresh();
    for (Snapshot snapshot : SnapshotUtil.currentAncestors(current)) {
      Long checkpoint = FinalizationProperties.number(snapshot.summary(), CHECKPOINT);
      if (checkpoint != null && checkpoint <= commit.checkpointId()) {
        return FinalizationProperties.readOpinion(snapshot.summary());
      }
    }
    return Optional.empty();
  }

  private Table table() {
    Table loaded = table;
    if (loaded == null) {
      loader.open();
      loaded = loader.loadTable();
      table = loaded;
    }
    return loaded;
  }
}
