package dev.tidemark.quickstart.embedded.pinot;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import dev.tidemark.quickstart.embedded.FileTrees;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.commons.lang3.tuple.Pair;
import org.apache.helix.HelixManager;
import org.apache.helix.store.zk.ZkHelixPropertyStore;
import org.apache.helix.zookeeper.datamodel.ZNRecord;
import org.apache.pinot.common.metadata.ZKMetadataProvider;
import org.apache.pinot.common.metrics.ServerMetrics;
import org.apache.pinot.common.restlet.resources.SegmentErrorInfo;
import org.apache.pinot.core.data.manager.InstanceDataManager;
import org.apache.pinot.core.data.manager.LogicalTableContext;
import org.apache.pinot.core.data.manager.provider.DefaultTableDataManagerProvider;
import org.apache.pinot.core.data.manager.provider.TableDataManagerProvider;
import org.apache.pinot.core.data.manager.realtime.PinotFSSegmentUploader;
import org.apache.pinot.core.data.manager.realtime.RealtimeSegmentDataManager;
import org.apache.pinot.core.data.manager.realtime.RealtimeTableDataManager;
import org.apache.pinot.core.data.manager.realtime.SegmentUploader;
import org.apache.pinot.segment.local.data.manager.SegmentDataManager;
import org.apache.pinot.segment.local.data.manager.TableDataManager;
import org.apache.pinot.segment.local.utils.SegmentLocks;
import org.apache.pinot.segment.local.utils.SegmentOperationsThrottlerSet;
import org.apache.pinot.segment.local.utils.SegmentReloadSemaphore;
import org.apache.pinot.segment.local.utils.ServerReloadJobStatusCache;
import org.apache.pinot.segment.spi.SegmentMetadata;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.env.PinotConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one server, each with the table data manager that a released server would give it.
 * Logical tables are not known here.
 */
final class ServerTables implements InstanceDataManager {
  private final ServerDataConfig config;
  private final HelixManager helix;
  private final SegmentLocks locks = new SegmentLocks();
  private final ServerReloadJobStatusCache reloads;
  private final SegmentReloadSemaphore reloadPermits = new SegmentReloadSemaphore(1);
  private final ExecutorService reloadThread;
  private final ExecutorService preloadThread;
  private final Cache<Pair<String, String>, SegmentErrorInfo> errors;
  private final SegmentUploader uploader;
  private final TableDataManagerProvider managers = new DefaultTableDataManagerProvider();
  private final Map<String, TableDataManager> tables = new ConcurrentHashMap<>();
  private volatile BooleanSupplier ready = () -> false;

  ServerTables(ServerDataConfig config, HelixManager helix) throws IOException {
    this.config = config;
    this.helix = helix;
    this.reloads = new ServerReloadJobStatusCache(config.instanceId());
    this.reloadThread = daemon("reload", config);
    this.preloadThread = daemon("preload", config);
    this.errors = CacheBuilder.newBuilder().maximumSize(config.getErrorCacheSize()).build();
    // Without a place to upload to, segments go through the controller.
    this.uploader = new PinotFSSegmentUploader("", 0, ServerMetrics.get());
    managers.init(config, helix, locks, null, reloads);
    Files.createDirectories(Path.of(config.getInstanceDataDir()));
    Files.createDirectories(Path.of(config.getInstanceSegmentTarDir()));
  }

  private static ExecutorService daemon(String purpose, ServerDataConfig config) {
    return Executors.newSingleThreadExecutor(
        task -> {
          Thread thread = new Thread(task, purpose + "-" + config.instanceId());
          thread.setDaemon(true);
          return thread;
        });
  }

  @Override
  public void init(
      PinotConfiguration settings,
      HelixManager helixManager,
      ServerMetrics metrics,
      @Nullable SegmentOperationsThrottlerSet throttlers,
      ServerReloadJobStatusCache reloadStatus) {
    throw new UnsupportedOperationException("The constructor has done it");
  }

  @Override
  public void setSupplierOfIsServerReadyToServeQueries(BooleanSupplier supplier) {
    ready = supplier;
  }

  @Override
  public String getInstanceId() {
    return config.instanceId();
  }

  @Override
  public void start() {}

  @Override
  public void shutDown() {
    reloadThread.shutdownNow();
    preloadThread.shutdownNow();
    tables.values().forEach(TableDataManager::shutDown);
    tables.clear();
  }

  @Override
  public void addOnlineSegment(String tableNameWithType, String segmentName) throws Exception {
    table(tableNameWithType).addOnlineSegment(segmentName);
  }

  @Override
  public void addConsumingSegment(String realtimeTableName, String segmentName) throws Exception {
    table(realtimeTableName).addConsumingSegment(segmentName);
  }

  private TableDataManager table(String nameWithType) {
    return tables.computeIfAbsent(nameWithType, this::open);
  }

  private TableDataManager open(String nameWithType) {
    ZkHelixPropertyStore<ZNRecord> store = getPropertyStore();
    TableConfig tableConfig =
        Objects.requireNonNull(
            ZKMetadataProvider.getTableConfig(store, nameWithType), "no config: " + nameWithType);
    Schema schema =
        Objects.requireNonNull(
            ZKMetadataProvider.getTableSchema(store, nameWithType), "no schema: " + nameWithType);
    TableDataManager manager =
        managers.getTableDataManager(
            tableConfig,
            schema,
            reloadPermits,
            reloadThread,
            preloadThread,
            errors,
            () -> ready.getAsBoolean(),
            isAsyncSegmentRefreshEnabled(),
            reloads);
    manager.start();
    return manager;
  }

  @Override
  public void deleteTable(String tableNameWithType, long deletionTimeMillis) {
    TableDataManager table = tables.remove(tableNameWithType);
    if (table != null) {
      table.setDeleted(true);
      table.shutDown();
    }
  }

  @Override
  public void replaceSegment(String tableNameWithType, String segmentName) throws Exception {
    TableDataManager table = tables.get(tableNameWithType);
    if (table != null) {
      table.replaceSegment(segmentName);
    }
  }

  @Override
  public void offloadSegment(String tableNameWithType, String segmentName) throws Exception {
    TableDataManager table = tables.get(tableNameWithType);
    if (table != null) {
      table.offloadSegment(segmentName);
    }
  }

  @Override
  public void deleteSegment(String tableNameWithType, String segmentName) throws Exception {
    Lock lock = locks.getLock(tableNameWithType, segmentName);
    lock.lock();
    try {
      TableDataManager table = tables.get(tableNameWithType);
      if (table != null && table.hasSegment(segmentName)) {
        table.offloadSegment(segmentName);
      }
      FileTrees.delete(getSegmentDataDirectory(tableNameWithType, segmentName).toPath());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void reloadSegment(
      String tableNameWithType, String segmentName, boolean forceDownload, String jobId)
      throws Exception {
    TableDataManager table = tables.get(tableNameWithType);
    if (table != null) {
      table.reloadSegment(segmentName, forceDownload, jobId);
    }
  }

  @Override
  public void reloadAllSegments(String tableNameWithType, boolean forceDownload, String jobId)
      throws Exception {
    TableDataManager table = tables.get(tableNameWithType);
    if (table != null) {
      table.reloadAllSegments(forceDownload, jobId);
    }
  }

  @Override
  public void reloadSegments(
      String tableNameWithType, List<String> segmentNames, boolean forceDownload, String jobId)
      throws Exception {
    TableDataManager table = tables.get(tableNameWithType);
    if (table != null) {
      table.reloadSegments(segmentNames, forceDownload, jobId);
    }
  }

  @Override
  public void forceCommit(String tableNameWithType, Set<String> segmentNames) {
    for (String name : segmentNames) {
      withSegment(tableNameWithType, name, ServerTables::forceCommit);
    }
  }

  private static void forceCommit(SegmentDataManager segment) {
    if (segment instanceof RealtimeSegmentDataManager consuming) {
      consuming.forceCommit();
    }
  }

  private void withSegment(
      String tableNameWithType, String segmentName, Consumer<SegmentDataManager> action) {
    TableDataManager table = tables.get(tableNameWithType);
    SegmentDataManager segment = table == null ? null : table.acquireSegment(segmentName);
    if (table != null && segment != null) {
      try {
        action.accept(segment);
      } finally {
        table.releaseSegment(segment);
      }
    }
  }

  @Override
  public Set<String> getAllTables() {
    return tables.keySet();
  }

  @Override
  public @Nullable TableDataManager getTableDataManager(String tableNameWithType) {
    return tables.get(tableNameWithType);
  }

  @Override
  public @Nullable SegmentMetadata getSegmentMetadata(
      String tableNameWithType, String segmentName) {
    return getAllSegmentsMetadata(tableNameWithType).stream()
        .filter(metadata -> metadata.getName().equals(segmentName))
        .findAny()
        .orElse(null);
  }

  @Override
  public List<SegmentMetadata> getAllSegmentsMetadata(String tableNameWithType) {
    TableDataManager table = tables.get(tableNameWithType);
    if (table == null) {
      return List.of();
    }
    List<SegmentDataManager> segments = table.acquireAllSegments();
    try {
      return segments.stream().map(segment -> segment.getSegment().getSegmentMetadata()).toList();
    } finally {
      segments.forEach(table::releaseSegment);
    }
  }

  @Override
  public File getSegmentDataDirectory(String tableNameWithType, String segmentName) {
    return Path.of(getInstanceDataDir(), tableNameWithType, segmentName).toFile();
  }

  @Override
  public String getSegmentFileDirectory() {
    return config.getInstanceSegmentTarDir();
  }

  @Override
  public int getMaxParallelRefreshThreads() {
    return config.getMaxParallelRefreshThreads();
  }

  @Override
  public boolean isAsyncSegmentRefreshEnabled() {
    return config.isAsyncSegmentRefreshEnabled();
  }

  @Override
  public ZkHelixPropertyStore<ZNRecord> getPropertyStore() {
    return helix.getHelixPropertyStore();
  }

  @Override
  public SegmentUploader getSegmentUploader() {
    return uploader;
  }

  @Override
  public List<File> getConsumerDirPaths() {
    return tables.values().stream()
        .filter(RealtimeTableDataManager.class::isInstance)
        .map(table -> ((RealtimeTableDataManager) table).getConsumerDirPath())
        .toList();
  }

  @Override
  public String getInstanceDataDir() {
    return config.getInstanceDataDir();
  }

  @Override
  public @Nullable LogicalTableContext getLogicalTableContext(String logicalTableName) {
    return null;
  }
}
