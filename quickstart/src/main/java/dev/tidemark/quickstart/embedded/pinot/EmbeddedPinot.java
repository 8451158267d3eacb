package dev.tidemark.quickstart.embedded.pinot;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.quickstart.embedded.FileTrees;
import dev.tidemark.quickstart.embedded.FreePorts;
import dev.tidemark.quickstart.embedded.QuietLogging;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.helix.HelixManager;
import org.apache.helix.HelixManagerFactory;
import org.apache.helix.InstanceType;
import org.apache.pinot.common.version.PinotVersion;
import org.apache.pinot.controller.ControllerConf;
import org.apache.pinot.controller.ControllerStarter;
import org.apache.pinot.spi.utils.CommonConstants.Helix;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole Pinot inside this JVM, on ports of 127.0.0.1: ZooKeeper, controller, broker and servers.
 * Its deep store is a local directory. Controller and broker are the released ones; for the servers
 * see the description of the package.
 *
 * <p>Its threads keep the JVM alive: close it also when something after its start fails. Pinot has
 * static fields, so of several clusters in one JVM only the one that was started last takes
 * segments, pushed or consumed, until it is closed.
 */
public final class EmbeddedPinot implements PinotCluster {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedPinot.class);
  private static final int START_ATTEMPTS = 3;
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 20;

  private final Path directory;
  private final boolean temporary;
  private final Optional<BasicAuth> auth;
  private final int controllerPort;
  private final int brokerPort;
  private final List<Integer> serverPorts;
  private final Thread shutdownHook = new Thread(this::discard, "pinot-shutdown");

  private @Nullable EmbeddedZooKeeper zooKeeper;
  private @Nullable ClusterSettings settings;
  private @Nullable HelixManager observer;
  private @Nullable PinotStatics statics;
  private @Nullable ControllerStarter controller;
  private @Nullable SingleStageBroker broker;
  private final List<@Nullable PinotServer> servers = new ArrayList<>();

  private EmbeddedPinot(
      Path directory, boolean temporary, Optional<BasicAuth> auth, List<Integer> ports) {
    this.directory = directory;
    this.temporary = temporary;
    this.auth = auth;
    this.controllerPort = ports.get(0);
    this.brokerPort = ports.get(1);
    this.serverPorts = ports.subList(2, ports.size());
  }

  /** Begins the settings of a cluster. */
  public static EmbeddedPinotBuilder builder() {
    return new EmbeddedPinotBuilder();
  }

  static EmbeddedPinot start(
      int servers, @Nullable Path wanted, Optional<BasicAuth> auth, Consumer<String> progress) {
    QuietLogging.routeJavaUtilLogging();
    long startNanos = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      EmbeddedPinot pinot =
          new EmbeddedPinot(prepare(wanted), wanted == null, auth, FreePorts.several(2 + servers));
      Runtime.getRuntime().addShutdownHook(pinot.shutdownHook);
      try {
        pinot.startParts();
        progress.accept(pinot.upLine(Duration.ofNanos(System.nanoTime() - startNanos)));
        return pinot;
      } catch (Exception e) {
        pinot.close();
        // Mostly a port that was taken meanwhile; Pinot does not always say so.
        if (attempt == START_ATTEMPTS || wanted != null) {
          throw new IllegalStateException("Cannot start Pinot: " + e.getMessage(), e);
        }
      }
    }
  }

  private static Path prepare(@Nullable Path wanted) {
    try {
      if (wanted == null) {
        return FileTrees.createTemporary("pinot");
      }
      Files.createDirectories(wanted);
      try (var entries = Files.list(wanted)) {
        if (entries.findAny().isPresent()) {
          throw new IllegalArgumentException("directory: " + wanted + " (expected: empty)");
        }
      }
      return wanted.toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot create a directory for Pinot", e);
    }
  }

  private void startParts() throws Exception {
    EmbeddedZooKeeper keeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"));
    zooKeeper = keeper;
    ClusterSettings cluster = new ClusterSettings(keeper.address(), directory, auth);
    settings = cluster;
    ControllerStarter controllerPart = new ControllerStarter();
    controllerPart.init(cluster.controller(controllerPort));
    controllerPart.start();
    controller = controllerPart;
    HelixManager helix =
        HelixManagerFactory.getZKHelixManager(
            ClusterSettings.NAME, "observer", InstanceType.SPECTATOR, cluster.zooKeeper());
    helix.connect();
    observer = helix;
    statics = PinotStatics.enter(cluster, (ControllerConf) controllerPart.getConfig(), helix);
    SingleStageBroker brokerPart = new SingleStageBroker();
    brokerPart.init(cluster.broker(brokerPort));
    brokerPart.start();
    broker = brokerPart;
    for (int port : serverPorts) {
      servers.add(PinotServer.start(cluster, port));
    }
    awaitTenants();
  }

  // Until the controller has seen broker and servers, it refuses tables.
  private void awaitTenants() throws Exception {
    PinotHttp http = new PinotHttp(controllerUrl(), authorization());
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!hasTenants(http.get("/instances")) || !hasLeader()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "the controller knows " + http.get("/instances") + " (expected: broker and servers)");
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private boolean hasTenants(JsonNode instances) {
    String names = instances.path("instances").toString();
    return names.contains("Broker_")
        && serverPorts.stream().allMatch(port -> names.contains("_" + port));
  }

  // Servers ask the controller that leads a table before they commit a consuming segment.
  private boolean hasLeader() {
    var view =
        Objects.requireNonNull(observer)
            .getClusterManagmentTool()
            .getResourceExternalView(ClusterSettings.NAME, Helix.LEAD_CONTROLLER_RESOURCE_NAME);
    return view != null
        && view.getPartitionSet().size() == Helix.NUMBER_OF_PARTITIONS_IN_LEAD_CONTROLLER_RESOURCE;
  }

  private String upLine(Duration elapsed) {
    return String.format(
        Locale.ROOT,
        "Pinot %s up after %.1f s: controller %s, broker %s, %d %s",
        PinotVersion.VERSION,
        elapsed.toMillis() / 1000.0,
        controllerUrl(),
        brokerUrl(),
        serverPorts.size(),
        serverPorts.size() == 1 ? "server" : "servers");
  }

  @Override
  public String controllerUrl() {
    return "http://" + ClusterSettings.HOST + ":" + controllerPort;
  }

  @Override
  public String brokerUrl() {
    return "http://" + ClusterSettings.HOST + ":" + brokerPort;
  }

  @Override
  public Optional<String> authorization() {
    return auth.map(BasicAuth::header);
  }

  @Override
  public Map<String, String> jsonFromKafka(String bootstrapServers, String topic) {
    return KafkaStreamConfigs.embedded(bootstrapServers, topic);
  }

  /** The directory of the controller's segments. */
  public Path deepStore() {
    return directory.resolve("deep-store");
  }

  public int servers() {
    return serverPorts.size();
  }

  /**
   * Stops a server and starts it again on its port and with its data; comes back when it has loaded
   * its segments. Consuming segments begin at their last commit again.
   *
   * @param index from 0
   * @throws IllegalStateException if it does not start
   */
  public synchronized void restartServer(int index) {
    stopServer(index);
    startServer(index);
  }

  /**
   * Stops a server, if it runs.
   *
   * @param index from 0
   */
  public synchronized void stopServer(int index) {
    PinotServer server = servers.get(index);
    if (server != null) {
      servers.set(index, null);
      server.stop();
    }
  }

  /**
   * Starts a server that was stopped.
   *
   * @param index from 0
   * @throws IllegalStateException if it runs, or does not start
   */
  public synchronized void startServer(int index) {
    if (settings == null || servers.get(index) != null) {
      throw new IllegalStateException("Cannot start server " + index + ": it is not stopped");
    }
    try {
      servers.set(index, PinotServer.start(settings, serverPorts.get(index)));
    } catch (Exception e) {
      throw new IllegalStateException("Cannot start server " + index + ": " + e.getMessage(), e);
    }
  }

  /** Ends the cluster and removes its data, unless its directory was given. Works once. */
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
    for (PinotServer server : servers) {
      if (server != null) {
        end("server", server::stop);
      }
    }
    servers.clear();
    if (broker != null) {
      end("broker", broker::stop);
      broker = null;
    }
    if (statics != null) {
      end("statics", statics::leave);
      statics = null;
    }
    if (observer != null) {
      end("observer", observer::disconnect);
      observer = null;
    }
    if (controller != null) {
      end("controller", controller::stop);
      controller = null;
    }
    if (zooKeeper != null) {
      end("ZooKeeper", zooKeeper::close);
      zooKeeper = null;
    }
    settings = null;
    if (temporary) {
      end("directory", () -> FileTrees.delete(directory));
    }
  }

  private static void end(String part, Ending ending) {
    try {
      ending.run();
    } catch (Exception e) {
      LOG.warn("Cannot end Pinot's {}", part, e);
    }
  }

  private interface Ending {
    void run() throws Exception;
  }
}
