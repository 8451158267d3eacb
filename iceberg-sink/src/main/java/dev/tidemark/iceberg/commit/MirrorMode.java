package dev.tidemark.iceberg.commit;

/** When the table property that mirrors the watermark is written. */
public enum MirrorMode {
  /** In the same metadata version as the data: readers of properties never lag. The default. */
  SAME_COMMIT,
  /**
   * After the data, in a metadata version of its own: the property may lag after a crash, and is
   * healed by the next commit or start. Refused on REST catalogs, whose property updates carry no
   * requirement.
   */
  POST_COMMIT
}
