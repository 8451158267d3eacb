package dev.tidemark.quickstart.embedded.pinot;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.helix.HelixManager;
import org.apache.pinot.common.function.FunctionRegistry;
import org.apache.pinot.common.metrics.ServerMetrics;
import org.apache.pinot.common.utils.ZkStarter;
import org.apache.pinot.common.utils.fetcher.SegmentFetcherFactory;
import org.apache.pinot.controller.ControllerConf;
import org.apache.pinot.controller.api.resources.ControllerFilePathProvider;
import org.apache.pinot.core.data.manager.realtime.RealtimeConsumptionRateManager;
import org.apache.pinot.core.data.manager.realtime.SegmentBuildTimeLeaseExtender;
import org.apache.pinot.core.operator.transform.function.TransformFunctionFactory;
import org.apache.pinot.core.query.logger.ServerQueryLogger;
import org.apache.pinot.server.realtime.ControllerLeaderLocator;
import org.apache.pinot.server.realtime.ServerSegmentCompletionProtocolHandler;
import org.apache.pinot.spi.accounting.WorkloadBudgetManager;
import org.apache.pinot.spi.crypt.PinotCrypterFactory;
import org.apache.pinot.spi.env.PinotConfiguration;
import org.apache.pinot.spi.filesystem.PinotFSFactory;
import org.apache.pinot.spi.metrics.PinotMetricUtils;

/**
 * What Pinot keeps in static fields, which all controllers and all servers of this JVM share. They
 * serve the cluster that was started last of those that run; the others can answer queries
 * meanwhile, but take no segments.
 */
final class PinotStatics {
  private static final double QUERIES_LOGGED_PER_SECOND = 10_000;
  private static final Deque<PinotStatics> CLUSTERS = new ArrayDeque<>();

  private final PinotConfiguration auth;
  private final ControllerConf controller;
  private final HelixManager observer;

  private PinotStatics(PinotConfiguration auth, ControllerConf controller, HelixManager observer) {
    this.auth = auth;
    this.controller = controller;
    this.observer = observer;
  }

  /**
   * Sets the fields for a cluster that starts.
   *
   * @param controller what its controller was started with
   * @param observer connected to the cluster for as long as it lives: a server's own connection
   *     would go when that server is restarted
   */
  static PinotStatics enter(
      ClusterSettings cluster, ControllerConf controller, HelixManager observer) throws Exception {
    synchronized (CLUSTERS) {
      PinotConfiguration none = new PinotConfiguration(Map.of());
      ServerMetrics.register(new ServerMetrics(PinotMetricUtils.getPinotMetricsRegistry(none)));
      if (ServerQueryLogger.getInstance() == null) {
        ServerQueryLogger.init(QUERIES_LOGGED_PER_SECOND, 1, ServerMetrics.get());
      }
      WorkloadBudgetManager.set(new WorkloadBudgetManager(none));
      FunctionRegistry.init();
      TransformFunctionFactory.init(Set.of());
      RealtimeConsumptionRateManager.getInstance()
          .createServerRateLimiter(none, ServerMetrics.get());
      RealtimeConsumptionRateManager.getInstance().enablePartitionRateLimiter();
      PinotFSFactory.init(none);
      PinotCrypterFactory.init(none);
      letIdleThreadsEnd();
      if (SegmentBuildTimeLeaseExtender.isExecutorShutdown()) {
        SegmentBuildTimeLeaseExtender.initExecutor();
      }
      PinotStatics entered = new PinotStatics(cluster.authOfServers(), controller, observer);
      CLUSTERS.push(entered);
      entered.point();
      return entered;
    }
  }

  // The controller closes connections on a thread that would keep the JVM alive.
  private static void letIdleThreadsEnd() throws ReflectiveOperationException {
    Field closing = ZkStarter.class.getDeclaredField("ZK_DISCONNECTOR");
    closing.setAccessible(true);
    if (closing.get(null) instanceof ThreadPoolExecutor pool) {
      pool.setKeepAliveTime(1, TimeUnit.SECONDS);
      pool.allowCoreThreadTimeOut(true);
    }
  }

  private void point() throws Exception {
    ControllerFilePathProvider.init(controller);
    SegmentFetcherFactory.init(auth);
    ServerSegmentCompletionProtocolHandler.init(auth);
    // It keeps what it was given first, also when the cluster of that is gone.
    Field instance = ControllerLeaderLocator.class.getDeclaredField("_instance");
    instance.setAccessible(true);
    instance.set(null, null);
    ControllerLeaderLocator.create(observer);
  }

  /** Sets the fields back for the cluster that was there before, or ends what they keep running. */
  void leave() throws Exception {
    synchronized (CLUSTERS) {
      CLUSTERS.remove(this);
      if (CLUSTERS.isEmpty()) {
        SegmentBuildTimeLeaseExtender.shutdownExecutor();
      } else {
        CLUSTERS.element().point();
      }
    }
  }
}
