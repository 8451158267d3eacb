package dev.tidemark.integration.pinot;

import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.embedded.pinot.RemotePinot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.ContainerFetchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.containers.wait.strategy.WaitAllStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * The released image of Pinot with all its parts in one container. It reaches no Kafka of the host:
 * OFFLINE tables alone.
 */
final class DockerPinot implements PinotCluster {
  private static final DockerImageName IMAGE = DockerImageName.parse("apachepinot/pinot:1.5.1");
  private static final int CONTROLLER_PORT = 9000;
  private static final int BROKER_PORT = 8000;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

  private final GenericContainer<?> container;

  private DockerPinot(GenericContainer<?> container) {
    this.container = container;
  }

  /**
   * Starts a container, or ends the test as skipped where there is no Docker, or Docker cannot get
   * the image.
   *
   * @param staging a directory that the controller sees under the same path
   */
  static DockerPinot startOrSkip(Path staging) {
    GenericContainer<?> container =
        new GenericContainer<>(IMAGE)
            .withCommand("QuickStart", "-type", "EMPTY")
            .withEnv("JAVA_OPTS", "-Xms512m -Xmx2g")
            .withFileSystemBind(staging.toString(), staging.toString(), BindMode.READ_WRITE)
            .withExposedPorts(CONTROLLER_PORT, BROKER_PORT)
            .waitingFor(
                new WaitAllStrategy()
                    .withStrategy(Wait.forHttp("/health").forPort(CONTROLLER_PORT))
                    .withStrategy(Wait.forHttp("/health").forPort(BROKER_PORT))
                    .withStartupTimeout(START_TIMEOUT));
    pullOrSkip(container);
    container.start();
    return new DockerPinot(container);
  }

  private static void pullOrSkip(GenericContainer<?> container) {
    try {
      Assumptions.assumeTrue(
          DockerClientFactory.instance().isDockerAvailable(),
          "No Docker here, so nothing runs against " + IMAGE);
      container.getDockerImageName(); // pulls it
    } catch (ContainerFetchException e) {
      Assumptions.abort(
          "Docker is here but cannot get an image, so nothing runs against "
              + IMAGE
              + ": "
              + e.getMessage()
              + ", "
              + e.getCause());
    }
  }

  @Override
  public String controllerUrl() {
    return url(CONTROLLER_PORT);
  }

  @Override
  public String brokerUrl() {
    return url(BROKER_PORT);
  }

  private String url(int port) {
    return "http://" + container.getHost() + ":" + container.getMappedPort(port);
  }

  @Override
  public Optional<String> authorization() {
    return Optional.empty();
  }

  @Override
  public Map<String, String> jsonFromKafka(String bootstrapServers, String topic) {
    return RemotePinot.at(controllerUrl(), brokerUrl()).jsonFromKafka(bootstrapServers, topic);
  }

  @Override
  public void close() {
    container.stop();
  }
}
