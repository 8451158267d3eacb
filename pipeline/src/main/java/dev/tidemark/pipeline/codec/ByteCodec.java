package dev.tidemark.pipeline.codec;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The byte form of an immutable type. Every value begins with the version that wrote it, so {@link
 * #read} of a newer codec must go on reading the older versions. A codec has a public constructor
 * without arguments and no state: a checkpoint keeps its class name alone.
 */
public interface ByteCodec<T> {
  Class<T> type();

  /** The version that {@link #write} writes, 1 to 255. */
  int version();

  /** Writes a value in the current version. */
  void write(T value, DataOutput out) throws IOException;

  /**
   * Reads a value.
   *
   * @param version the version that wrote it, 1 to {@link #version()}
   */
  T read(int version, DataInput in) throws IOException;
}
