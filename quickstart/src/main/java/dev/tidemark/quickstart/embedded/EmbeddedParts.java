package dev.tidemark.quickstart.embedded;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A MariaDB and a Kafka that were started side by side, and whatever a program starts on top of
 * them. Closing ends all in reverse order; when one does not start, the other one is closed before
 * the error comes out.
 */
public final class EmbeddedParts implements AutoCloseable {
  private final EmbeddedMariaDb mariaDb;
  private final EmbeddedKafka kafka;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private EmbeddedParts(EmbeddedMariaDb mariaDb, EmbeddedKafka kafka) {
    this.mariaDb = mariaDb;
    this.kafka = kafka;
    open.push(mariaDb);
    open.push(kafka);
  }

  /**
   * Starts both and waits for both.
   *
   * @param progress gets lines such as {@code MariaDB 11.4.5 up on 127.0.0.1:3306 after 1.2 s},
   *     from several threads but never two at a time
   * @throws IllegalStateException if one of them does not start; nothing is left running
   */
  public static EmbeddedParts start(Consumer<String> progress) {
    Progress lines = new Progress(progress);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      CompletableFuture<EmbeddedMariaDb> mariaDb =
          CompletableFuture.supplyAsync(() -> startMariaDb(lines), threads);
      CompletableFuture<EmbeddedKafka> kafka =
          CompletableFuture.supplyAsync(() -> startKafka(lines), threads);
      return together(mariaDb, kafka);
    } finally {
      threads.shutdown();
    }
  }

  private static EmbeddedMariaDb startMariaDb(Progress lines) {
    EmbeddedMariaDb mariaDb = EmbeddedMariaDb.start(lines::add);
    lines.up("MariaDB " + mariaDb.version(), mariaDb.port());
    return mariaDb;
  }

  private static EmbeddedKafka startKafka(Progress lines) {
    EmbeddedKafka kafka = EmbeddedKafka.start();
    lines.up("Kafka " + kafka.version(), kafka.port());
    return kafka;
  }

  private static EmbeddedParts together(
      CompletableFuture<EmbeddedMariaDb> mariaDb, CompletableFuture<EmbeddedKafka> kafka) {
    try {
      CompletableFuture.allOf(mariaDb, kafka).join();
      return new EmbeddedParts(mariaDb.join(), kafka.join());
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      IllegalStateException failure =
          new IllegalStateException(
              "Cannot start the embedded parts: " + cause.getMessage(), cause);
      closeStarted(kafka, failure);
      closeStarted(mariaDb, failure);
      throw failure;
    }
  }

  private static void closeStarted(
      CompletableFuture<? extends AutoCloseable> part, IllegalStateException failure) {
    if (!part.isCompletedExceptionally()) {
      try {
        part.join().close();
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
  }

  public EmbeddedMariaDb mariaDb() {
    return mariaDb;
  }

  public EmbeddedKafka kafka() {
    return kafka;
  }

  /** Begins the settings of a Debezium between the two; {@link #closing} what is started. */
  public EmbeddedDebeziumBuilder debezium() {
    return EmbeddedDebezium.from(mariaDb, kafka);
  }

  /** Has {@code part} closed with the others, before all that were there already. */
  public synchronized <T extends AutoCloseable> T closing(T part) {
    open.push(part);
    return part;
  }

  /**
   * Closes everything, the last one first, also when one of them throws. A second call does
   * nothing.
   *
   * @throws IllegalStateException if one or more could not be closed, with the others' errors
   *     suppressed
   */
  @Override
  public synchronized void close() {
    IllegalStateException failure = null;
    while (!open.isEmpty()) {
      failure = closeOne(open.pop(), failure);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable IllegalStateException closeOne(
      AutoCloseable part, @Nullable IllegalStateException earlier) {
    try {
      part.close();
      return earlier;
    } catch (Exception e) {
      if (earlier == null) {
        return new IllegalStateException("Cannot close " + part.getClass().getSimpleName(), e);
      }
      earlier.addSuppressed(e);
      return earlier;
    }
  }

  /** Hands lines on one at a time, and knows the time since the start. */
  private static final class Progress {
    private final Consumer<String> lines;
    private final long startNanos = System.nanoTime();

    Progress(Consumer<String> lines) {
      this.lines = lines;
    }

    synchronized void add(String line) {
      lines.accept(line);
    }

    void up(String name, int port) {
      double seconds = Duration.ofNanos(System.nanoTime() - startNanos).toMillis() / 1000.0;
      add(String.format(Locale.ROOT, "%s up on 127.0.0.1:%d after %.1f s", name, port, seconds));
    }
  }
}
