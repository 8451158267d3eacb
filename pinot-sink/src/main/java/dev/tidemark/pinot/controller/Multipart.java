package dev.tidemark.pinot.controller;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/** A form with one file in it, streamed: however large the file is, it is never held in memory. */
final class Multipart implements RequestBody {
  private static final String BOUNDARY = "tidemark-9f2c6f0b5d7e41b8a3c4";
  static final String CONTENT_TYPE = "multipart/form-data; boundary=" + BOUNDARY;

  private final byte[] head;
  private final RequestBody file;
  private final byte[] tail;

  private Multipart(byte[] head, RequestBody file, byte[] tail) {
    this.head = head;
    this.file = file;
    this.tail = tail;
  }

  /**
   * A form.
   *
   * @param name of the part and of its file; quotes and line ends are not allowed in it
   */
  static Multipart of(String name, RequestBody file) {
    if (name.matches(".*[\"\\r\\n].*")) {
      throw new IllegalArgumentException("Invalid file name: " + name + " (expected: no quotes)");
    }
    String head =
        "--"
            + BOUNDARY
            + "\r\nContent-Disposition: form-data; name=\""
            + name
            + "\"; filename=\""
            + name
            + "\"\r\nContent-Type: application/octet-stream\r\n\r\n";
    String tail = "\r\n--" + BOUNDARY + "--\r\n";
    return new Multipart(
        head.getBytes(StandardCharsets.UTF_8), file, tail.getBytes(StandardCharsets.US_ASCII));
  }

  /** A body that is at hand. */
  static RequestBody bytes(byte[] bytes) {
    return new RequestBody() {
      @Override
      public InputStream open() {
        return new ByteArrayInputStream(bytes);
      }

      @Override
      public long length() {
        return bytes.length;
      }
    };
  }

  @Override
  public InputStream open() throws IOException {
    return new SequenceInputStream(
        Collections.enumeration(
            List.of(new ByteArrayInputStream(head), file.open(), new ByteArrayInputStream(tail))));
  }

  @Override
  public long length() {
    return head.length + file.length() + tail.length;
  }
}
