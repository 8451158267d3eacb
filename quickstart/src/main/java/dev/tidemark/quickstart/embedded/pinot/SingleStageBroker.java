package dev.tidemark.quickstart.embedded.pinot;

import org.apache.pinot.broker.broker.helix.HelixBrokerStarter;
import org.apache.pinot.query.runtime.operator.factory.QueryOperatorFactoryProvider;
import org.apache.pinot.spi.env.PinotConfiguration;

/** The broker as it is released, without the multi-stage engine, and ending all that it starts. */
final class SingleStageBroker extends HelixBrokerStarter {
  @Override
  protected QueryOperatorFactoryProvider createQueryOperatorFactoryProvider(
      PinotConfiguration settings) {
    return new QueryOperatorFactoryProvider() {};
  }

  @Override
  public void stop() {
    super.stop();
    // It is left running, with a thread that keeps the JVM alive.
    _serverRoutingStatsManager.shutDown();
  }
}
