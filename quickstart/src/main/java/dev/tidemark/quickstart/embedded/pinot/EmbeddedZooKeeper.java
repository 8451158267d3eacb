package dev.tidemark.quickstart.embedded.pinot;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** One ZooKeeper node on a free port of 127.0.0.1. */
final class EmbeddedZooKeeper implements AutoCloseable {
  private static final int TICK_MILLIS = 500;
  private static final int MAX_SESSION_MILLIS = 60_000;
  private static final int MAX_CONNECTIONS = 200;

  private final ZooKeeperServer server;
  private final ServerCnxnFactory connections;

  private EmbeddedZooKeeper(ZooKeeperServer server, ServerCnxnFactory connections) {
    this.server = server;
    this.connections = connections;
  }

  /**
   * @param directory of snapshots and logs; made if it is missing
   */
  static EmbeddedZooKeeper start(Path directory) throws IOException {
    // Nothing here outlives the process, so that no write need wait for the disk.
    System.setProperty("zookeeper.forceSync", "no");
    ZooKeeperServer server =
        new ZooKeeperServer(directory.toFile(), directory.toFile(), TICK_MILLIS);
    server.setMaxSessionTimeout(MAX_SESSION_MILLIS);
    ServerCnxnFactory connections = new NIOServerCnxnFactory();
    connections.configure(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), MAX_CONNECTIONS);
    try {
      connections.startup(server);
    } catch (InterruptedException e) {
      connections.shutdown();
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while ZooKeeper was starting", e);
    }
    return new EmbeddedZooKeeper(server, connections);
  }

  /** Host and port, as clients take them. */
  String address() {
    return ClusterSettings.HOST + ":" + connections.getLocalPort();
  }

  @Override
  public void close() {
    connections.shutdown();
    server.shutdown(true);
  }
}
