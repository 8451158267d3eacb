package dev.tidemark.quickstart.embedded.pinot;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.helix.HelixAdmin;
import org.apache.helix.HelixManager;
import org.apache.helix.HelixManagerFactory;
import org.apache.helix.InstanceType;
import org.apache.helix.model.HelixConfigScope;
import org.apache.helix.model.IdealState;
import org.apache.helix.model.InstanceConfig;
import org.apache.helix.model.builder.HelixConfigScopeBuilder;
import org.apache.pinot.common.config.NettyConfig;
import org.apache.pinot.common.metrics.ServerMetrics;
import org.apache.pinot.common.utils.ServiceStatus;
import org.apache.pinot.common.utils.config.TagNameUtils;
import org.apache.pinot.common.utils.helix.HelixHelper;
import org.apache.pinot.core.query.executor.QueryExecutor;
import org.apache.pinot.core.query.executor.ServerQueryExecutorV1Impl;
import org.apache.pinot.core.query.scheduler.QueryScheduler;
import org.apache.pinot.core.transport.ChannelHandlerFactory;
import org.apache.pinot.core.transport.QueryServer;
import org.apache.pinot.server.access.AllowAllAccessFactory;
import org.apache.pinot.spi.accounting.ThreadAccountantUtils;
import org.apache.pinot.spi.env.PinotConfiguration;
import org.apache.pinot.spi.utils.CommonConstants.Helix;
import org.apache.pinot.spi.utils.builder.TableNameBuilder;

/**
 * A Pinot server made of the parts of {@code pinot-core}: it loads and consumes segments as Helix
 * tells it, and answers brokers. Its query port is open on all addresses, because Netty is given no
 * host by Pinot.
 */
final class PinotServer {
  private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 20;

  private final String id;
  private final int port;
  private final HelixManager helix;
  private final ServerTables tables;
  private final QueryExecutor executor;
  private final QueryScheduler scheduler;
  private final QueryServer queries;
  private volatile boolean ready;

  private PinotServer(ClusterSettings cluster, int port) throws Exception {
    this.id = Helix.PREFIX_OF_SERVER_INSTANCE + ClusterSettings.HOST + "_" + port;
    this.port = port;
    this.helix =
        HelixManagerFactory.getZKHelixManager(
            ClusterSettings.NAME, id, InstanceType.PARTICIPANT, cluster.zooKeeper());
    this.tables = new ServerTables(dataConfig(cluster), helix);
    this.executor = new ServerQueryExecutorV1Impl();
    PinotConfiguration defaults = new PinotConfiguration(Map.of());
    executor.init(defaults, tables, ServerMetrics.get());
    this.scheduler = new StoppableScheduler(defaults, id, executor);
    this.queries =
        new QueryServer(
            port,
            new NettyConfig(),
            ChannelHandlerFactory.getInstanceRequestHandler(
                id,
                defaults,
                scheduler,
                new AllowAllAccessFactory().create(),
                ThreadAccountantUtils.getNoOpAccountant()));
  }

  private ServerDataConfig dataConfig(ClusterSettings cluster) {
    Path directory = cluster.directory().resolve(id);
    return new ServerDataConfig(id, directory, cluster.authOfServers());
  }

  /**
   * Starts a server and waits until it has loaded what it is to have.
   *
   * @param port for brokers; a server that is started again with the same one finds its segments
   */
  static PinotServer start(ClusterSettings cluster, int port) throws Exception {
    PinotServer server = new PinotServer(cluster, port);
    try {
      server.join();
      server.awaitSegments();
      server.serve();
      return server;
    } catch (Exception e) {
      server.stop();
      throw e;
    }
  }

  String id() {
    return id;
  }

  private void join() throws Exception {
    tables.setSupplierOfIsServerReadyToServeQueries(() -> ready);
    helix
        .getStateMachineEngine()
        .registerStateModelFactory(SegmentStates.MODEL, new SegmentStates(tables));
    helix.connect();
    InstanceConfig instance = HelixHelper.getInstanceConfig(helix, id);
    HelixHelper.updateHostnamePort(instance, ClusterSettings.HOST, port);
    HelixHelper.addDefaultTags(instance, PinotServer::tags);
    HelixHelper.updatePinotVersion(instance);
    instance.getRecord().setSimpleField(Helix.IS_SHUTDOWN_IN_PROGRESS, "true");
    HelixHelper.updateInstanceConfig(helix, instance);
    helix
        .getMessagingService()
        .registerMessageHandlerFactory(ServerMessages.TYPE, new ServerMessages(tables));
  }

  private static List<String> tags() {
    return List.of(
        TagNameUtils.getOfflineTagForTenant(null), TagNameUtils.getRealtimeTagForTenant(null));
  }

  private void awaitSegments() throws InterruptedException, IOException {
    ServiceStatus.ServiceStatusCallback loading =
        new ServiceStatus.IdealStateAndCurrentStateMatchServiceStatusCallback(
            helix, ClusterSettings.NAME, id, ownTables(), 100);
    long deadline = System.nanoTime() + LOAD_TIMEOUT.toNanos();
    while (loading.getServiceStatus() != ServiceStatus.Status.GOOD) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "Cannot load the segments of %s within %d s: %s"
                .formatted(id, LOAD_TIMEOUT.toSeconds(), loading.getStatusDescription()));
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private List<String> ownTables() {
    HelixAdmin admin = helix.getClusterManagmentTool();
    return admin.getResourcesInCluster(ClusterSettings.NAME).stream()
        .filter(TableNameBuilder::isTableResource)
        .filter(table -> hasSegments(admin.getResourceIdealState(ClusterSettings.NAME, table)))
        .toList();
  }

  private boolean hasSegments(IdealState table) {
    return table != null
        && table.getPartitionSet().stream()
            .anyMatch(segment -> table.getInstanceSet(segment).contains(id));
  }

  private void serve() {
    executor.start();
    scheduler.start();
    queries.start();
    setShuttingDown(false);
    ready = true;
  }

  // Brokers send nothing to a server that says so.
  private void setShuttingDown(boolean value) {
    HelixConfigScope own =
        new HelixConfigScopeBuilder(
                HelixConfigScope.ConfigScopeProperty.PARTICIPANT, ClusterSettings.NAME)
            .forParticipant(id)
            .build();
    helix
        .getClusterManagmentTool()
        .setConfig(own, Map.of(Helix.IS_SHUTDOWN_IN_PROGRESS, Boolean.toString(value)));
  }

  /** Takes the server out of the cluster and ends it; its segments stay on disk. */
  void stop() {
    boolean served = ready;
    ready = false;
    if (helix.isConnected()) {
      setShuttingDown(true);
    }
    helix.disconnect();
    if (served) {
      queries.shutDown();
    }
    scheduler.stop();
    executor.shutDown();
    tables.shutDown();
  }
}
