package dev.tidemark.quickstart.embedded.pinot;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;

/**
 * A Pinot that somebody else runs, found by the address of its controller. Closing it does nothing.
 */
public final class RemotePinot implements PinotCluster {
  /** The system property with the address of a controller. */
  public static final String CONTROLLER_PROPERTY = "tidemark.pinot.controller";

  /**
   * The system property with the address of a broker, where the one that the controller names
   * cannot be reached.
   */
  public static final String BROKER_PROPERTY = "tidemark.pinot.broker";

  /**
   * The system property that says whose classes read a topic there: {@code released} for Pinot's
   * own plugins, the default, or {@code embedded} where an {@link EmbeddedPinot} of another JVM is
   * meant, which has none.
   */
  public static final String STREAM_PROPERTY = "tidemark.pinot.stream";

  private final String controllerUrl;
  private final String brokerUrl;
  private final Optional<String> authorization;

  private RemotePinot(String controllerUrl, String brokerUrl, Optional<String> authorization) {
    this.controllerUrl = controllerUrl;
    this.brokerUrl = brokerUrl;
    this.authorization = authorization;
  }

  /**
   * The Pinot that {@value #CONTROLLER_PROPERTY} names; empty if it names none. Programs and tests
   * take it in place of an embedded one.
   */
  public static Optional<RemotePinot> configured() {
    String broker = System.getProperty(BROKER_PROPERTY);
    return Optional.ofNullable(System.getProperty(CONTROLLER_PROPERTY))
        .map(controller -> broker == null ? at(controller) : at(controller, broker));
  }

  /** Finds the first broker that the controller knows. Like {@link #at(String, Optional)}. */
  public static RemotePinot at(String controllerUrl) {
    return at(controllerUrl, Optional.empty());
  }

  /**
   * Finds the first broker that the controller knows.
   *
   * @param controllerUrl for example {@code http://10.0.0.7:9000}, with a path if there is one
   * @param authorization the value of the Authorization header
   * @throws IllegalStateException if it knows none
   * @throws java.io.UncheckedIOException if it does not answer
   */
  public static RemotePinot at(String controllerUrl, Optional<String> authorization) {
    String url = withoutSlash(controllerUrl);
    JsonNode tenants = new PinotHttp(url, authorization).get("/v2/brokers/tenants");
    for (JsonNode brokers : tenants) {
      for (JsonNode broker : brokers) {
        String address = broker.path("host").asText() + ":" + broker.path("port").asInt();
        return new RemotePinot(url, "http://" + address, authorization);
      }
    }
    throw new IllegalStateException(
        "Cannot find a broker through %s: it answered %s".formatted(url, tenants));
  }

  /** A controller and a broker whose addresses are both known. */
  public static RemotePinot at(String controllerUrl, String brokerUrl) {
    return new RemotePinot(withoutSlash(controllerUrl), withoutSlash(brokerUrl), Optional.empty());
  }

  private static String withoutSlash(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  @Override
  public String controllerUrl() {
    return controllerUrl;
  }

  @Override
  public String brokerUrl() {
    return brokerUrl;
  }

  @Override
  public Optional<String> authorization() {
    return authorization;
  }

  @Override
  public Map<String, String> jsonFromKafka(String bootstrapServers, String topic) {
    return System.getProperty(STREAM_PROPERTY, "").equals("embedded")
        ? KafkaStreamConfigs.embedded(bootstrapServers, topic)
        : KafkaStreamConfigs.released(bootstrapServers, topic);
  }

  @Override
  public void close() {}
}
