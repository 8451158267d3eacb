package dev.tidemark.quickstart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * A real MariaDB server on 127.0.0.1 with row-based binary log and strict GTIDs, as change-data
 * capture wants it. It is a process of its own that never outlives this JVM. Its data is gone after
 * {@link #close()}.
 *
 * <p>The first start on a machine unpacks the distribution into a cache directory, the system
 * property {@value #CACHE_DIR_PROPERTY} or else {@code tidemark-cache} in the directory for
 * temporary files; later starts copy a prepared data directory from there. The server's time zone
 * is UTC; it syncs nothing to disk. Safe for several threads.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
  /** The system property that names the cache directory. */
  public static final String CACHE_DIR_PROPERTY = "tidemark.cache.dir";

  /** The one user, with all privileges; the password is the same word. */
  public static final String USER = "cdc";

  // An anonymous user at localhost would be preferred to cdc@'%' by the server.
  static final List<String> USER_STATEMENTS =
      List.of(
          "DELETE FROM mysql.global_priv WHERE User = '';",
          "FLUSH PRIVILEGES;",
          "CREATE USER 'cdc'@'%' IDENTIFIED BY 'cdc';",
          "CREATE USER 'cdc'@'localhost' IDENTIFIED BY 'cdc';",
          "GRANT ALL PRIVILEGES ON *.* TO 'cdc'@'%' WITH GRANT OPTION;",
          "GRANT ALL PRIVILEGES ON *.* TO 'cdc'@'localhost' WITH GRANT OPTION;");

  private static final List<String> COMMON_OPTIONS =
      List.of(
          "--binlog-format=ROW",
          "--binlog-row-image=FULL",
          "--binlog-row-metadata=FULL",
          "--gtid-strict-mode=1",
          "--character-set-server=utf8mb4",
          "--default-time-zone=+00:00",
          "--skip-name-resolve",
          "--max-allowed-packet=64M",
          "--innodb-log-file-size=32M",
          "--innodb-buffer-pool-size=64M",
          "--innodb-flush-log-at-trx-commit=0",
          "--sync-binlog=0");

  private static final int PORT_ATTEMPTS = 3;

  private final String version;
  private final Path directory;
  private final int port;
  private final MariaDbServer server;
  private final OrphanGuard guard;
  private final Thread shutdownHook = new Thread(this::discard, "mariadb-shutdown");

  private EmbeddedMariaDb(
      String version, Path directory, int port, MariaDbServer server, OrphanGuard guard) {
    this.version = version;
    this.directory = directory;
    this.port = port;
    this.server = server;
    this.guard = guard;
  }

  /** Starts a server without progress lines. */
  public static EmbeddedMariaDb start() {
    return start(line -> {});
  }

  /**
   * Starts a server with an empty data directory on a free port.
   *
   * @param progress gets a line now and then while the distribution is unpacked, from two threads
   *     one after the other; nothing when the cache is filled
   * @throws UncheckedIOException if the cache or the temporary directory cannot be written
   * @throws IllegalStateException if the server does not come up; no process and no directory are
   *     left
   */
  public static EmbeddedMariaDb start(Consumer<String> progress) {
    return start(progress, port -> List.of("--server-id=1", "--log-bin=binlog"));
  }

  /**
   * Starts a server that is told what it logs, and under which id.
   *
   * @param options to add to those of every server here, for the port that it gets
   */
  static EmbeddedMariaDb start(Consumer<String> progress, IntFunction<List<String>> options) {
    MariaDbDistribution distribution = MariaDbDistribution.prepare(cacheDirectory(), progress);
    for (int attempt = 1; ; attempt++) {
      try {
        int port = FreePorts.one();
        return startOn(port, distribution, options(port, options.apply(port)));
      } catch (IllegalStateException e) {
        if (attempt == PORT_ATTEMPTS
            || !String.valueOf(e.getMessage()).contains("Bind on TCP/IP")) {
          throw e;
        }
      }
    }
  }

  private static Path cacheDirectory() {
    String configured = System.getProperty(CACHE_DIR_PROPERTY);
    Path directory =
        configured == null
            ? Path.of(System.getProperty("java.io.tmpdir"), "tidemark-cache")
            : Path.of(configured);
    return directory.toAbsolutePath();
  }

  private static EmbeddedMariaDb startOn(
      int port, MariaDbDistribution distribution, List<String> options) {
    Path directory = newDirectory();
    OrphanGuard guard = OrphanGuard.over(directory);
    try {
      copyTemplate(distribution, directory);
      MariaDbServer server = MariaDbServer.start(distribution.home(), directory, options);
      EmbeddedMariaDb database =
          new EmbeddedMariaDb(distribution.version(), directory, port, server, guard);
      Runtime.getRuntime().addShutdownHook(database.shutdownHook);
      return database;
    } catch (RuntimeException e) {
      deleteDirectory(directory);
      guard.close();
      throw e;
    }
  }

  private static Path newDirectory() {
    try {
      return FileTrees.createTemporary("mariadb");
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot create a directory for MariaDB", e);
    }
  }

  private static void copyTemplate(MariaDbDistribution distribution, Path directory) {
    try {
      FileTrees.copy(distribution.template().resolve("data"), directory.resolve("data"));
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot copy a data directory of MariaDB (about 80 MB) to " + directory, e);
    }
  }

  private static List<String> options(int port, List<String> more) {
    List<String> options = new ArrayList<>(more);
    options.add("--port=" + port);
    options.addAll(COMMON_OPTIONS);
    return options;
  }

  /** The version, for example 11.4.5. */
  public String version() {
    return version;
  }

  /** The port on 127.0.0.1. */
  public int port() {
    return port;
  }

  /**
   * The JDBC URL, user and password included, of a database that is created when a connection first
   * asks for it.
   */
  public String jdbcUrl(String database) {
    String options =
        "user=%s&password=%s&sslMode=disable&createDatabaseIfNotExist=true".formatted(USER, USER);
    // The server's time zone is UTC, whatever the JVM's is.
    String time = "connectionTimeZone=UTC&preserveInstants=true";
    return "jdbc:mariadb://127.0.0.1:%d/%s?%s&%s".formatted(port, database, options, time);
  }

  /**
   * Opens a connection, which the caller closes, to a database that is created if it does not
   * exist.
   *
   * @throws SQLException if the server does not answer, as after {@link #close()}
   */
  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(jdbcUrl(database));
  }

  /**
   * Kills the server, waits for its end and removes its data. A second call does nothing.
   *
   * @throws IllegalStateException if the process does not end
   */
  @Override
  public void close() {
    discard();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException e) {
      // The JVM is going down: the hook finds nothing left to do.
    }
  }

  private synchronized void discard() {
    server.kill();
    deleteDirectory(directory);
    guard.close();
  }

  private static void deleteDirectory(Path directory) {
    try {
      FileTrees.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove the data directory " + directory, e);
    }
  }
}
