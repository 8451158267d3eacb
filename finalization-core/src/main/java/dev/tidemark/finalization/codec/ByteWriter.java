package dev.tidemark.finalization.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes variable-length integers and length-prefixed bytes into a growing array. Integers are
 * little-endian base-128 (the "varint" of Protocol Buffers); signed ones are zigzag-mapped first.
 * Not thread-safe.
 */
public final class ByteWriter {
  private byte[] buffer = new byte[256];
  private int size;

  /** Writes one byte: a version, a flag, an enum's ordinal. */
  public ByteWriter writeByte(int value) {
    ensure(1);
    buffer[size++] = (byte) value;
    return this;
  }

  /** Writes a long that is small when non-negative; any value is allowed. */
  public ByteWriter writeUnsigned(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      buffer[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[size++] = (byte) rest;
    return this;
  }

  /** Writes a long that is small when close to zero on either side. */
  public ByteWriter writeSigned(long value) {
    return writeUnsigned((value << 1) ^ (value >> 63));
  }

  /** Writes a length and the bytes. */
  public ByteWriter writeBytes(byte[] bytes) {
    writeUnsigned(bytes.length);
    ensure(bytes.length);
    System.arraycopy(bytes, 0, buffer, size, bytes.length);
    size += bytes.length;
    return this;
  }

  /** Writes a length and the string in UTF-8. */
  public ByteWriter writeString(String value) {
    return writeBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** The bytes written so far, in an array of their own. */
  public byte[] toByteArray() {
    return Arrays.copyOf(buffer, size);
  }

  private void ensure(int more) {
    if (size + more > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
    }
  }
}
