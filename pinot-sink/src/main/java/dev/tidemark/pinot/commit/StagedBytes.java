package dev.tidemark.pinot.commit;

import dev.tidemark.pinot.controller.RequestBody;
import dev.tidemark.pinot.controller.SegmentUpload;
import dev.tidemark.pinot.segment.StagedFiles;
import dev.tidemark.pinot.segment.StagedSegment;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Staged files as bodies of requests. */
final class StagedBytes {
  private final StagedFiles files;

  StagedBytes(StagedFiles files) {
    this.files = files;
  }

  SegmentUpload upload(StagedSegment segment) {
    return new SegmentUpload(
        segment.name(),
        segment.crc(),
        streamed(segment.files().tarUri(), segment.files().tarBytes()),
        new Held(segment.files().metadataUri()),
        segment.files().tarUri());
  }

  private RequestBody streamed(String uri, long length) {
    return new RequestBody() {
      @Override
      public InputStream open() throws IOException {
        return files.open(uri);
      }

      @Override
      public long length() {
        return length;
      }
    };
  }

  /** Metadata is a few kilobytes, and nobody has written down how many. */
  private final class Held implements RequestBody {
    private final String uri;
    private byte @Nullable [] bytes;

    Held(String uri) {
      this.uri = uri;
    }

    @Override
    public InputStream open() throws IOException {
      return new ByteArrayInputStream(bytes());
    }

    @Override
    public long length() {
      try {
        return bytes().length;
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot read staged metadata " + uri, e);
      }
    }

    private byte[] bytes() throws IOException {
      byte[] read = bytes;
      if (read == null) {
        try (InputStream in = files.open(uri)) {
          read = in.readAllBytes();
        }
        bytes = read;
      }
      return read;
    }
  }
}
