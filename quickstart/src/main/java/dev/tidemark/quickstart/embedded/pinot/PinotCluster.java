package dev.tidemark.quickstart.embedded.pinot;

import java.util.Map;
import java.util.Optional;

/** A running Pinot, wherever it is. */
public interface PinotCluster extends AutoCloseable {

  /** The controller's address without a slash at its end, for example http://127.0.0.1:9000. */
  String controllerUrl();

  /** The address of a broker without a slash at its end. */
  String brokerUrl();

  /** The value of the Authorization header that controller and broker ask for, if any. */
  Optional<String> authorization();

  /**
   * The entries of {@code streamConfigs} that have this Pinot read JSON objects from a topic from
   * its beginning on; thresholds may be added.
   */
  Map<String, String> jsonFromKafka(String bootstrapServers, String topic);

  /** Creates and drops tables here. */
  default PinotTables tables() {
    return new PinotTables(this);
  }

  /** Asks this Pinot's broker. */
  default PinotQueries queries() {
    return new PinotQueries(this);
  }

  /** Ends the cluster if it was started by this object; never throws. */
  @Override
  void close();
}
