package dev.tidemark.cli.testing;

import java.util.Map;
import org.apache.iceberg.hadoop.HadoopFileIO;

/** A file system whose libraries are not on the class path. */
public final class BrokenFileIO extends HadoopFileIO {
  @Override
  public void initialize(Map<String, String> properties) {
    throw new NoClassDefFoundError("software/amazon/awssdk/core/exception/SdkException");
  }
}
