package dev.tidemark.quickstart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;

/**
 * One Kafka node inside this JVM, broker and controller in one, on ports of 127.0.0.1. Topics have
 * one replica and are never created by themselves. The data is gone after {@link #close()}. Safe
 * for several threads.
 *
 * <p>The node's threads keep the JVM alive: close it also when something after its start fails.
 * When a running node meets an error that it cannot survive, such as a full disk, it ends the JVM.
 */
public final class EmbeddedKafka implements AutoCloseable {
  private static final int START_ATTEMPTS = 3;

  private final Path directory;
  private final int port;
  private final Properties settings;
  private final Thread shutdownHook = new Thread(this::discard, "kafka-shutdown");
  private @Nullable KafkaRaftServer server;
  private boolean closed;

  private EmbeddedKafka(Path directory, int port, int controllerPort) {
    this.directory = directory;
    this.port = port;
    this.settings = settings(directory.resolve("log"), port, controllerPort);
  }

  /**
   * Starts a node with an empty log directory on free ports.
   *
   * @throws IllegalStateException if it does not start; no thread and no directory are left
   * @throws UncheckedIOException if the directory for temporary files cannot be written
   */
  public static EmbeddedKafka start() {
    for (int attempt = 1; ; attempt++) {
      List<Integer> ports = FreePorts.several(2);
      EmbeddedKafka kafka = new EmbeddedKafka(newDirectory(), ports.get(0), ports.get(1));
      Runtime.getRuntime().addShutdownHook(kafka.shutdownHook);
      try {
        kafka.format();
        kafka.restart();
        return kafka;
      } catch (RuntimeException e) {
        kafka.close();
        // Mostly a port that was taken meanwhile; Kafka does not always say so.
        if (attempt == START_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static Path newDirectory() {
    try {
      return FileTrees.createTemporary("kafka");
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot create a log directory for Kafka", e);
    }
  }

  private static Properties settings(Path log, int port, int controllerPort) {
    Properties settings = new Properties();
    settings.putAll(
        Map.of(
            "process.roles", "broker,controller",
            "node.id", "1",
            "controller.quorum.voters", "1@127.0.0.1:" + controllerPort,
            "listeners",
                "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
            "controller.listener.names", "CONTROLLER",
            "log.dirs", log.toString(),
            "auto.create.topics.enable", "false"));
    settings.putAll(
        Map.of(
            "offsets.topic.replication.factor", "1",
            "offsets.topic.num.partitions", "1",
            "transaction.state.log.replication.factor", "1",
            "transaction.state.log.min.isr", "1",
            "transaction.state.log.num.partitions", "1",
            "share.coordinator.state.topic.replication.factor", "1",
            "share.coordinator.state.topic.min.isr", "1",
            "group.initial.rebalance.delay.ms", "0"));
    // For a small machine: the defaults take 128 MB for the cleaner and a dozen threads for
    // requests.
    settings.putAll(
        Map.of(
            "log.cleaner.dedupe.buffer.size", "4194304",
            "num.network.threads", "1",
            "num.io.threads", "2",
            "background.threads", "2"));
    return settings;
  }

  private void format() {
    Path file = directory.resolve("server.properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      settings.store(writer, null);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write the settings of Kafka to " + file, e);
    }
    KafkaStarting.format(file);
  }

  /** The version of Kafka, for example 4.1.1. */
  public String version() {
    return AppInfoParser.getVersion();
  }

  /** The broker's port on 127.0.0.1; it stays the same over {@link #restart()}. */
  public int port() {
    return port;
  }

  /** What a client needs as {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  /**
   * Creates a topic and waits until it can be written.
   *
   * @param partitions at least 1
   * @throws IllegalStateException if it cannot be created, for example because it exists
   */
  public void createTopic(String name, int partitions) {
    Map<String, Object> client =
        Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
    try (Admin admin = Admin.create(client)) {
      admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "Cannot create topic %s with %d partitions: %s".formatted(name, partitions, e.getCause()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while creating topic " + name, e);
    }
  }

  /** Stops the node in order and keeps its data and its port. Does nothing when it is stopped. */
  public synchronized void stop() {
    if (server != null) {
      server.shutdown();
      server.awaitShutdown();
      server = null;
    }
  }

  /**
   * Starts the node again after {@link #stop()}, with its data and on its port; a running node is
   * stopped first.
   *
   * @throws IllegalStateException if it is closed or does not start
   */
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("Cannot restart Kafka: it was closed and its data is gone");
    }
    stop();
    server = KafkaStarting.start(settings);
  }

  /** Stops the node and removes its data. A second call does nothing. */
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
    closed = true;
    stop();
    try {
      FileTrees.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove the log directory " + directory, e);
    }
  }
}
