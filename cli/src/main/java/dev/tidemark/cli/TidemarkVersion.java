package dev.tidemark.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: the version that Maven built. */
final class TidemarkVersion implements IVersionProvider {
  private static final String FILE = "version.properties";

  @Override
  public String[] getVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream file = TidemarkVersion.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IOException("Cannot find " + FILE + " beside " + TidemarkVersion.class);
      }
      properties.load(file);
    }
    return new String[] {"tidemark " + properties.getProperty("version")};
  }
}
