package dev.tidemark.quickstart.embedded.pinot;

import java.nio.file.Path;
import java.util.Map;
import org.apache.pinot.spi.config.instance.InstanceDataManagerConfig;
import org.apache.pinot.spi.env.PinotConfiguration;
import org.apache.pinot.spi.utils.ReadMode;
import org.jspecify.annotations.Nullable;

/**
 * What table data managers ask of the server that they are in. Everything is as a released server
 * has it by default, but that segments can be preloaded.
 *
 * @param directory of all data of the server
 * @param settings the token for the controller in it, if one is needed
 */
// Null is how Pinot says that something is not set, without saying so in its signatures.
@SuppressWarnings("NullAway")
record ServerDataConfig(String instanceId, Path directory, PinotConfiguration settings)
    implements InstanceDataManagerConfig {
  private static final int PARALLEL_BUILDS = 4;
  private static final int UNLIMITED = -1;

  @Override
  public PinotConfiguration getConfig() {
    return settings;
  }

  @Override
  public String getInstanceId() {
    return instanceId;
  }

  @Override
  public String getInstanceDataDir() {
    return directory.resolve("segments").toString();
  }

  @Override
  public @Nullable String getConsumerDir() {
    return null;
  }

  @Override
  public String getInstanceSegmentTarDir() {
    return directory.resolve("tars").toString();
  }

  @Override
  public @Nullable String getTableDataManagerProviderClass() {
    return null;
  }

  @Override
  public @Nullable String getSegmentStoreUri() {
    return null;
  }

  @Override
  public @Nullable String getConsumerClientIdSuffix() {
    return null;
  }

  @Override
  public ReadMode getReadMode() {
    return ReadMode.mmap;
  }

  @Override
  public @Nullable String getSegmentFormatVersion() {
    return null;
  }

  @Override
  public @Nullable String getAvgMultiValueCount() {
    return null;
  }

  @Override
  public boolean isRealtimeOffHeapAllocation() {
    return true;
  }

  @Override
  public boolean isDirectRealtimeOffHeapAllocation() {
    return false;
  }

  @Override
  public boolean shouldReloadConsumingSegment() {
    return true;
  }

  @Override
  public int getMaxParallelRefreshThreads() {
    return 1;
  }

  @Override
  public boolean isAsyncSegmentRefreshEnabled() {
    return false;
  }

  /** With no thread for it, {@code enablePreload} of an upsert table would do nothing. */
  @Override
  public int getMaxSegmentPreloadThreads() {
    return 1;
  }

  @Override
  public int getMaxParallelSegmentBuilds() {
    return PARALLEL_BUILDS;
  }

  @Override
  public int getMaxParallelSegmentDownloads() {
    return UNLIMITED;
  }

  @Override
  public String getSegmentDirectoryLoader() {
    return "default";
  }

  @Override
  public long getErrorCacheSize() {
    return 100;
  }

  @Override
  public boolean isStreamSegmentDownloadUntar() {
    return false;
  }

  @Override
  public long getStreamSegmentDownloadUntarRateLimit() {
    return UNLIMITED;
  }

  @Override
  public int getDeletedTablesCacheTtlMinutes() {
    return 60;
  }

  @Override
  public int getDeletedSegmentsCacheSize() {
    return 10_000;
  }

  @Override
  public int getDeletedSegmentsCacheTtlMinutes() {
    return 2;
  }

  @Override
  public @Nullable String getSegmentPeerDownloadScheme() {
    return null;
  }

  @Override
  public PinotConfiguration getUpsertConfig() {
    return settings.subset("upsert");
  }

  @Override
  public PinotConfiguration getDedupConfig() {
    return settings.subset("dedup");
  }

  /** A subset also where it is empty: any other configuration reads the environment too. */
  @Override
  public PinotConfiguration getAuthConfig() {
    return settings.subset("auth");
  }

  @Override
  public Map<String, Map<String, String>> getTierConfigs() {
    return Map.of();
  }

  @Override
  public boolean isUploadSegmentToDeepStore() {
    return false;
  }

  @Override
  public boolean shouldCheckCRCOnSegmentLoad() {
    return true;
  }

  @Override
  public boolean isDimensionTablePreloadDisabled() {
    return false;
  }
}
