package dev.tidemark.pinot.commit;

/** How a segment gets to Pinot. */
public enum PushMode {
  /** The whole tar through the controller. Works everywhere. The default. */
  TAR,
  /**
   * The metadata alone through the controller, which copies the tar from the staging file system to
   * its deep store: many segments in one request. Needs a staging file system that the controller
   * can read, of the deep store's own scheme.
   */
  METADATA
}
