package dev.tidemark.pipeline.codec;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The parts that codecs share: byte arrays and texts of any length, with null. */
public final class Bytes {
  private static final int NULL = -1;

  private Bytes() {}

  /** Writes the length as an int, -1 for null, and the bytes. */
  public static void write(byte @Nullable [] bytes, DataOutput out) throws IOException {
    if (bytes == null) {
      out.writeInt(NULL);
    } else {
      out.writeInt(bytes.length);
      out.write(bytes);
    }
  }

  public static byte @Nullable [] read(DataInput in) throws IOException {
    int length = in.readInt();
    if (length == NULL) {
      return null;
    }
    if (length < 0) {
      throw new IOException("Cannot read bytes: length " + length + " (expected: >= -1)");
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }

  /** Writes a text of any length as UTF-8. */
  public static void writeText(String text, DataOutput out) throws IOException {
    write(text.getBytes(StandardCharsets.UTF_8), out);
  }

  public static String readText(DataInput in) throws IOException {
    byte[] utf8 = read(in);
    if (utf8 == null) {
      throw new EOFException("Cannot read a text: null (expected: a text)");
    }
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /** Writes a long with a byte before it that says whether it is there. */
  public static void writeLong(@Nullable Long value, DataOutput out) throws IOException {
    out.writeBoolean(value != null);
    if (value != null) {
      out.writeLong(value);
    }
  }

  public static @Nullable Long readLong(DataInput in) throws IOException {
    return in.readBoolean() ? (Long) in.readLong() : null;
  }
}
