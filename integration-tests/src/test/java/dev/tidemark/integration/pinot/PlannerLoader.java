package dev.tidemark.integration.pinot;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Loads Flink's SQL planner beside a Pinot in one JVM, as {@code flink-table-planner-loader} does
 * in a Flink cluster: the planner sees its own Calcite and Scala, everything else is shared.
 */
final class PlannerLoader extends URLClassLoader {
  private static final List<String> OWN =
      List.of("org.apache.flink.table.planner.", "org.apache.calcite.", "scala.");

  static {
    registerAsParallelCapable();
  }

  private PlannerLoader(URL[] jars, ClassLoader parent) {
    super(jars, parent);
  }

  /** Loads what Maven has put into {@code target/planner}. */
  static ClassLoader create() throws IOException {
    Path directory = Path.of("target", "planner");
    if (!Files.isDirectory(directory)) {
      throw new IllegalStateException(
          "Missing "
              + directory.toAbsolutePath()
              + " (expected: filled by maven-dependency-plugin)");
    }
    try (Stream<Path> jars = Files.list(directory)) {
      return new PlannerLoader(
          jars.map(PlannerLoader::url).toArray(URL[]::new), PlannerLoader.class.getClassLoader());
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (OWN.stream().noneMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : findClass(name);
    }
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException("Cannot make a URL of " + jar, e);
    }
  }
}
