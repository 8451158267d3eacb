package dev.tidemark.finalization.accumulator;

/**
 * Bytes of a snapshot. The first byte is a version; every version that was ever written is read.
 *
 * @param <S> the snapshot
 */
public interface SnapshotCodec<S> {
  /** The bytes, in the newest version. */
  byte[] encode(S snapshot);

  /**
   * Reads bytes of any version.
   *
   * @throws IllegalArgumentException if the bytes are truncated, foreign or of a newer version
   */
  S decode(byte[] bytes);
}
