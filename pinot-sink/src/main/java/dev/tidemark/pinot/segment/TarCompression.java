package dev.tidemark.pinot.segment;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/** How a segment's tar is compressed. */
public enum TarCompression {
  /**
   * Zstandard at level 1: a sixth of the CPU time of gzip at level 1, and smaller. The default; a
   * controller or server that is too old for it says so when the segment is pushed.
   */
  ZSTD(".tar.zst") {
    @Override
    OutputStream compress(OutputStream out) throws IOException {
      return new BufferedOutputStream(new ZstdOutputStream(out, 1), BUFFER_BYTES);
    }
  },

  /** Gzip at level 1: what every controller understands. */
  GZIP(".tar.gz") {
    @Override
    OutputStream compress(OutputStream out) throws IOException {
      GzipParameters parameters = new GzipParameters();
      parameters.setCompressionLevel(Deflater.BEST_SPEED);
      parameters.setBufferSize(BUFFER_BYTES);
      return new BufferedOutputStream(
          new GzipCompressorOutputStream(out, parameters), BUFFER_BYTES);
    }
  };

  private static final int BUFFER_BYTES = 1 << 17;

  private final String extension;

  TarCompression(String extension) {
    this.extension = extension;
  }

  /** How names of such files end: {@code .tar.zst}. */
  public String extension() {
    return extension;
  }

  abstract OutputStream compress(OutputStream out) throws IOException;
}
