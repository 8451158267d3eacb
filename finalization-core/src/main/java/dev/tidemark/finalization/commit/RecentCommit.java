package dev.tidemark.finalization.commit;

import java.util.Map;

/**
 * One commit on the ancestry of a table's head, as its store describes it.
 *
 * @param id the store's id of it: an Iceberg snapshot id, a Pinot carrier segment
 * @param timestampMillis the store's commit time
 * @param properties all its properties, foreign ones too
 */
public record RecentCommit(String id, long timestampMillis, Map<String, String> properties) {
  public RecentCommit {
    properties = Map.copyOf(properties);
  }
}
