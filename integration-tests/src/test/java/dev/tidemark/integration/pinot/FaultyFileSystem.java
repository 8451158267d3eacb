package dev.tidemark.integration.pinot;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * The local disk under the scheme {@code faulty}, where the next files that are written stay
 * halves. Thread-safe.
 */
public final class FaultyFileSystem extends LocalFileSystem {
  static final String NO_SPACE = "No space left (simulated)";

  private static final String SCHEME = "faulty";
  private static final AtomicInteger FAULTS = new AtomicInteger();

  /** Found by Flink as a service. */
  public static final class Factory implements FileSystemFactory {
    @Override
    public String getScheme() {
      return SCHEME;
    }

    @Override
    public FileSystem create(URI uri) {
      return new FaultyFileSystem();
    }
  }

  /** The directory on this file system. */
  static String of(java.nio.file.Path directory) {
    return SCHEME + "://" + directory.toAbsolutePath();
  }

  /** Has so many of the next files fail. */
  static void failNext(int files) {
    FAULTS.set(files);
  }

  static int faultsLeft() {
    return FAULTS.get();
  }

  @Override
  public URI getUri() {
    return URI.create(SCHEME + ":///");
  }

  @Override
  public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
    FSDataOutputStream out = super.create(path, mode);
    if (FAULTS.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
      return out;
    }
    out.write(new byte[] {1, 2, 3});
    out.close();
    throw new IOException(NO_SPACE);
  }
}
