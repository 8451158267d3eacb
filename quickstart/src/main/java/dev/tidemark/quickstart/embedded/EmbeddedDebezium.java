package dev.tidemark.quickstart.embedded;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import io.debezium.engine.format.KeyValueHeaderChangeEventFormat;
import io.debezium.engine.spi.OffsetCommitPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Debezium's MariaDB connector inside this JVM, from an {@link EmbeddedMariaDb} into an {@link
 * EmbeddedKafka}. Keys, values and headers are Debezium's JSON without schemas; each table has a
 * topic {@code prefix.database.table}, DDL is in {@code prefix} and transaction boundaries are in
 * {@code prefix.transaction}. Topics are created when their first event comes; those that exist are
 * left as they are.
 *
 * <p>Guarantee: at least once. An engine that is started over the state directory of another one
 * that has ended goes on where that one stopped; after a crash the batch under way comes again.
 *
 * <p>A failure of the engine ends it. It is logged as an error and stays in {@link #failure()}.
 */
public final class EmbeddedDebezium implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDebezium.class);
  private static final long POLL_MILLIS = 20;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final String topicPrefix;
  private final boolean resumed;
  private final KafkaForwarder forwarder;
  private final DebeziumEngine<ChangeEvent<String, String>> engine;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final CountDownLatch polling = new CountDownLatch(1);
  // All threads that the engine starts are in this group, because it is built and run in it.
  private final ThreadGroup threads = new ThreadGroup("debezium");
  private final Thread thread;
  private volatile boolean closing;

  private EmbeddedDebezium(DebeziumSettings settings, KafkaForwarder forwarder) {
    this.topicPrefix = settings.topicPrefix();
    this.resumed = Files.exists(settings.offsetFile());
    this.forwarder = forwarder;
    this.engine =
        CompletableFuture.supplyAsync(
                () -> build(settings), task -> new Thread(threads, task).start())
            .join();
    this.thread = new Thread(threads, engine, "debezium-" + topicPrefix);
    thread.setDaemon(true);
  }

  private DebeziumEngine<ChangeEvent<String, String>> build(DebeziumSettings settings) {
    return DebeziumEngine.create(
            KeyValueHeaderChangeEventFormat.of(Json.class, Json.class, Json.class))
        .using(settings.toProperties())
        .using(this::ended)
        .using(OffsetCommitPolicy.always())
        .using(
            new DebeziumEngine.ConnectorCallback() {
              @Override
              public void pollingStarted() {
                polling.countDown();
              }
            })
        .notifying(forwarder)
        .build();
  }

  /** Begins the settings of an engine between two parts, which must outlive it. */
  public static EmbeddedDebeziumBuilder from(EmbeddedMariaDb database, EmbeddedKafka kafka) {
    return new EmbeddedDebeziumBuilder(database, kafka);
  }

  static EmbeddedDebezium start(
      DebeziumSettings settings, EmbeddedMariaDb database, EmbeddedKafka kafka) {
    QuietLogging.routeJavaUtilLogging();
    createStateDirectory(settings.state());
    createHeartbeatTable(settings.heartbeatTable(), database);
    KafkaForwarder forwarder =
        new KafkaForwarder(kafka.bootstrapServers(), settings.topicPrefix(), settings.partitions());
    try {
      EmbeddedDebezium debezium = new EmbeddedDebezium(settings, forwarder);
      debezium.thread.start();
      return debezium;
    } catch (CompletionException e) {
      forwarder.close();
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw new IllegalStateException("Cannot start Debezium: " + cause.getMessage(), cause);
    }
  }

  private static void createStateDirectory(Path state) {
    try {
      Files.createDirectories(state);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot create the state directory of Debezium " + state, e);
    }
  }

  private static void createHeartbeatTable(@Nullable String table, EmbeddedMariaDb database) {
    if (table == null) {
      return;
    }
    try (Connection connection = database.connect(table.substring(0, table.indexOf('.')));
        Statement statement = connection.createStatement()) {
      statement.execute(DebeziumSettings.heartbeatTableStatement(table));
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot create the heartbeat table " + table, e);
    }
  }

  private void ended(boolean success, String message, @Nullable Throwable error) {
    // An engine that is closed between two batches may complain about its own threads.
    if (closing && (success || !forwarder.failed())) {
      end.complete(null);
      return;
    }
    IllegalStateException failure =
        new IllegalStateException(
            "Debezium %s ended by itself: %s".formatted(topicPrefix, message), error);
    if (end.completeExceptionally(failure)) {
      // Debezium logs the stack trace itself.
      LOG.error("{}", failure.getMessage());
    }
  }

  /**
   * Waits until the snapshot is done, that is stored, and the engine reads the binary log: every
   * row that is written from now on will arrive, through this engine or through the next one over
   * the state directory.
   *
   * @throws IllegalStateException if the engine fails, was closed, or needs longer than {@code
   *     timeout}
   */
  public void awaitStreaming(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!(isStreaming() && (resumed || forwarder.heartbeatStored()))) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "Debezium %s does not read the binary log after %d ms (it has not failed either). Is the snapshot large?"
                .formatted(topicPrefix, timeout.toMillis()));
      }
      if (endsWithin(POLL_MILLIS)) {
        throw new IllegalStateException("Debezium " + topicPrefix + " was closed");
      }
    }
  }

  private boolean endsWithin(long millis) {
    try {
      end.get(millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      Throwable failure = Objects.requireNonNullElse(e.getCause(), e);
      throw new IllegalStateException(String.valueOf(failure.getMessage()), failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for Debezium " + topicPrefix, e);
    }
  }

  private boolean isStreaming() {
    String name = "debezium.mariadb:type=connector-metrics,context=streaming,server=" + topicPrefix;
    try {
      return (Boolean)
          ManagementFactory.getPlatformMBeanServer()
              .getAttribute(new ObjectName(name), "Connected");
    } catch (InstanceNotFoundException e) {
      return false;
    } catch (JMException e) {
      throw new IllegalStateException("Cannot read " + name + " of Debezium", e);
    }
  }

  /** Why the engine ended by itself; empty while it runs and after an orderly {@link #close()}. */
  public Optional<Throwable> failure() {
    return end.handle((nothing, error) -> Optional.ofNullable(error)).getNow(Optional.empty());
  }

  /** Completes when the engine has ended: exceptionally if it failed. */
  public CompletableFuture<Void> end() {
    return end.copy();
  }

  /**
   * Ends the engine in order: what it has read is in Kafka, and where it stopped is in the state
   * directory. A second call does nothing; nor does it throw for a failure that is in {@link
   * #failure()}.
   *
   * @throws IllegalStateException if the engine does not end
   */
  @Override
  public void close() {
    closing = true;
    try {
      forwarder.stop();
      closeEngine();
      awaitEnd();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot end Debezium " + topicPrefix, e);
    } finally {
      // With a full queue, Debezium leaves its reader of the binary log waiting for ever, which
      // keeps the JVM alive.
      threads.interrupt();
      forwarder.close();
    }
  }

  // An engine that is closed before it polls fails, or refuses; one that has ended refuses as well.
  private void closeEngine() throws IOException {
    long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
    while (thread.isAlive() && polling.getCount() > 0 && System.nanoTime() < deadline) {
      joinFor(POLL_MILLIS);
    }
    try {
      engine.close();
    } catch (IllegalStateException e) {
      LOG.debug("Debezium {} was ending already", topicPrefix, e);
    }
  }

  private void awaitEnd() {
    joinFor(CLOSE_TIMEOUT.toMillis());
    if (thread.isAlive()) {
      throw new IllegalStateException(
          "Cannot end Debezium %s: it still runs after %d s"
              .formatted(topicPrefix, CLOSE_TIMEOUT.toSeconds()));
    }
  }

  private void joinFor(long millis) {
    try {
      thread.join(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while ending Debezium " + topicPrefix, e);
    }
  }
}
