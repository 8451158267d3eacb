package dev.tidemark.pinot.commit;

/** How the table config is changed to mirror the watermark. */
public enum MirrorWrite {
  /**
   * Through the table's own endpoint, which has no version check: it is read, changed, written and
   * read back at once, and a concurrent change of somebody else's may be lost. The default.
   */
  TABLE_CONFIG,
  /** Through {@code /zk/put} with the expected version. Needs rights on the cluster. */
  ZK_COMPARE_AND_SET
}
