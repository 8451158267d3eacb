package dev.tidemark.quickstart.embedded.pinot;

import org.apache.pinot.broker.broker.helix.HelixBrokerStarter;
import org.apache.pinot.query.runtime.operator.factory.QueryOperatorFactoryProvider;
import org.apache.pinot.spi.env.PinotConfiguration;

/** The broker as it is released, without the multi-stage engine. */
final class SingleStageBroker extends HelixBrokerStarter {
  @Override
  protected QueryOperatorFactoryProvider createQueryOperatorFactoryProvider(
      PinotConfiguration settings) {
    return new QueryOperatorFactoryProvider() {};
  }
}
