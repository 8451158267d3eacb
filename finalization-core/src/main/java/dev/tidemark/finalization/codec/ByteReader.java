package dev.tidemark.finalization.codec;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Reads what {@link ByteWriter} wrote. Every error is an {@link IllegalArgumentException} that
 * names what was being read and the position, so that a truncated or foreign value is never
 * half-read. Not thread-safe.
 */
public final class ByteReader {
  private final String subject;
  private final byte[] bytes;
  private int position;

  /**
   * @param subject what is being read, for error messages: "event-time sketch"
   * @param bytes the bytes, which are not copied
   */
  public ByteReader(String subject, byte[] bytes) {
    this.subject = subject;
    this.bytes = bytes;
  }

  /**
   * A reader of bytes in URL-safe Base64.
   *
   * @throws IllegalArgumentException if the text is not Base64
   */
  public static ByteReader ofText(String subject, String text) {
    try {
      return new ByteReader(subject, Base64.getUrlDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "Cannot read " + subject + ": not URL-safe Base64: " + text, e);
    }
  }

  /** Reads one byte as a number from 0 to 255. */
  public int readByte() {
    if (position >= bytes.length) {
      throw corrupt("the bytes end too early");
    }
    return bytes[position++] & 0xFF;
  }

  /**
   * Reads a version byte and checks it.
   *
   * @return the version, from 1 to {@code newest}
   */
  public int readVersion(int newest) {
    int version = readByte();
    if (version < 1 || version > newest) {
      throw corrupt("version " + version + " (expected: 1 to " + newest + ")");
    }
    return version;
  }

  /** Reads what {@link ByteWriter#writeUnsigned} wrote. */
  public long readUnsigned() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = readByte();
      value |= (long) (next & 0x7F) << shift;
      if ((next & 0x80) == 0) {
        return value;
      }
    }
    throw corrupt("an integer is longer than ten bytes");
  }

  /** Reads a count, which must lie between 0 and the number of bytes that are left. */
  public int readCount() {
    long count = readUnsigned();
    if (count < 0 || count > bytes.length - position) {
      throw corrupt("count " + count + " with " + (bytes.length - position) + " bytes left");
    }
    return (int) count;
  }

  /** Reads what {@link ByteWriter#writeSigned} wrote. */
  public long readSigned() {
    long raw = readUnsigned();
    return (raw >>> 1) ^ -(raw & 1);
  }

  /** Reads a length and that many bytes. */
  public byte[] readBytes() {
    int length = readCount();
    byte[] result = new byte[length];
    System.arraycopy(bytes, position, result, 0, length);
    position += length;
    return result;
  }

  /** Reads a length and a UTF-8 string. */
  public String readString() {
    return new String(readBytes(), StandardCharsets.UTF_8);
  }

  /** Fails unless every byte was read. */
  public void expectEnd() {
    if (position != bytes.length) {
      throw corrupt((bytes.length - position) + " bytes are left over");
    }
  }

  /** An error about these bytes, with the place that was reached. */
  public IllegalArgumentException corrupt(String what) {
    return new IllegalArgumentException(
        "Cannot read " + subject + " at byte " + position + " of " + bytes.length + ": " + what);
  }
}
