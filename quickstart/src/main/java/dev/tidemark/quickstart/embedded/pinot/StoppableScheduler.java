package dev.tidemark.quickstart.embedded.pinot;

import java.util.concurrent.atomic.LongAccumulator;
import org.apache.pinot.core.query.executor.QueryExecutor;
import org.apache.pinot.core.query.scheduler.fcfs.FCFSQueryScheduler;
import org.apache.pinot.spi.accounting.ThreadAccountantUtils;
import org.apache.pinot.spi.env.PinotConfiguration;

/** The scheduler that a server has by default, which also ends its threads. */
final class StoppableScheduler extends FCFSQueryScheduler {
  StoppableScheduler(PinotConfiguration settings, String instanceId, QueryExecutor executor) {
    super(
        settings,
        instanceId,
        executor,
        ThreadAccountantUtils.getNoOpAccountant(),
        new LongAccumulator(Long::max, 0));
  }

  @Override
  public void stop() {
    super.stop();
    _resourceManager.stop();
  }
}
