package dev.tidemark.quickstart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Copies, counts and removes directory trees. */
public final class FileTrees {
  private FileTrees() {}

  /**
   * Creates a directory for temporary files whose name says what it is for and of which process.
   */
  public static Path createTemporary(String purpose) throws IOException {
    String prefix = "tidemark-%s-%d-".formatted(purpose, ProcessHandle.current().pid());
    return Files.createTempDirectory(prefix).toAbsolutePath();
  }

  /** Copies a tree with its permissions; {@code target} must not exist, its parent must. */
  static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> paths = Files.walk(source)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Path copy = target.resolve(source.relativize(path).toString());
        Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  /** Removes a tree; what vanishes meanwhile, or never existed, is no error. */
  public static void delete(Path root) throws IOException {
    if (Files.exists(root)) {
      Files.walkFileTree(root, new Deleting());
    }
  }

  static long fileCount(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths.filter(Files::isRegularFile).count();
    }
  }

  /** The bytes in all files below {@code root}; files that come or go meanwhile count or do not. */
  static long size(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths.mapToLong(path -> path.toFile().length()).sum();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static final class Deleting extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
