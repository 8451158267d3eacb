package dev.tidemark.pipeline.json;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/** An object of a larger document that was skipped, as its UTF-8 bytes; not yet validated. */
public record JsonSlice(ByteBuffer utf8) {
  public JsonSlice {
    requireNonNull(utf8, "utf8 is null");
  }

  /** A copy of the bytes. */
  public byte[] toBytes() {
    byte[] bytes = new byte[utf8.remaining()];
    utf8.duplicate().get(bytes);
    return bytes;
  }
}
