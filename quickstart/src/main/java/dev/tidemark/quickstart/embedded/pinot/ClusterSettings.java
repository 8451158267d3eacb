package dev.tidemark.quickstart.embedded.pinot;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.pinot.spi.env.PinotConfiguration;
import org.apache.pinot.spi.utils.CommonConstants.Broker;
import org.apache.pinot.spi.utils.CommonConstants.Helix;

/**
 * What the parts of one cluster have in common, and the settings that each of them starts with.
 *
 * @param zooKeeper host and port
 * @param directory of all data; it exists
 */
record ClusterSettings(String zooKeeper, Path directory, Optional<BasicAuth> auth) {
  static final String HOST = "127.0.0.1";
  static final String NAME = "tidemark";

  PinotConfiguration controller(int port) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("controller.helix.cluster.name", NAME);
    settings.put("controller.zk.str", zooKeeper);
    settings.put("controller.host", HOST);
    settings.put("controller.vip.host", HOST);
    settings.put("controller.vip.port", Integer.toString(port));
    settings.putAll(listener("controller", port));
    // The deep store. A path without a scheme would do as well, but not for a METADATA push.
    settings.put("controller.data.dir", directory.resolve("deep-store").toUri().toString());
    settings.put("controller.local.temp.dir", directory.resolve("controller").toString());
    settings.put("cluster.tenant.isolation.enable", true);
    // With a delay, the end of the only controller sets a timer that keeps the JVM alive.
    settings.put("controller.resource.rebalance.delay_ms", 0);
    auth.ifPresent(user -> settings.putAll(user.controller()));
    return new PinotConfiguration(settings);
  }

  PinotConfiguration broker(int port) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(Helix.CONFIG_OF_CLUSTER_NAME, NAME);
    settings.put(Helix.CONFIG_OF_ZOOKEEPER_SERVER, zooKeeper);
    settings.put(Helix.CONFIG_OF_MULTI_STAGE_ENGINE_ENABLED, false);
    settings.put(Broker.CONFIG_OF_BROKER_HOSTNAME, HOST);
    // It would sleep for ten seconds, in case somebody still asks.
    settings.put(Broker.CONFIG_OF_DELAY_SHUTDOWN_TIME_MS, 0L);
    settings.putAll(listener("pinot.broker.client", port));
    auth.ifPresent(user -> settings.putAll(user.broker()));
    return new PinotConfiguration(settings);
  }

  private static Map<String, Object> listener(String prefix, int port) {
    String protocols = prefix + ".access.protocols";
    return Map.of(
        protocols, "http", protocols + ".http.host", HOST, protocols + ".http.port", port);
  }

  /** With nothing in it but the token, where one is needed. */
  PinotConfiguration authOfServers() {
    return new PinotConfiguration(
        auth.<Map<String, Object>>map(user -> Map.of("auth.token", user.header()))
            .orElse(Map.of()));
  }
}
