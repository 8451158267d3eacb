package dev.tidemark.flink.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FileUtils;

/**
 * One MiniCluster for all tests of a JVM, started by the first of them. Jobs take a checkpoint when
 * a test asks for one: the environments made here have a checkpoint interval of an hour, so that
 * nothing depends on time. Checkpoints and savepoints are files.
 */
public final class TestCluster {
  private static final Duration ON_REQUEST = Duration.ofHours(1);
  private static final int SLOTS = 8;

  private static TestCluster shared;

  private final MiniCluster cluster;
  private final Path directory;

  private TestCluster(MiniCluster cluster, Path directory) {
    this.cluster = cluster;
    this.directory = directory;
  }

  /** The cluster of this JVM. */
  public static synchronized TestCluster shared() throws Exception {
    if (shared == null) {
      shared = start();
    }
    return shared;
  }

  /** A job that takes checkpoints on request and restarts at once, at most 3 times. */
  public StreamExecutionEnvironment environment(int parallelism) {
    StreamExecutionEnvironment env = environment(parallelism, ON_REQUEST);
    // Flink draws the time of the first periodic checkpoint between this pause and the interval.
    env.getCheckpointConfig().setMinPauseBetweenCheckpoints(ON_REQUEST.toMillis());
    return env;
  }

  /** A job that takes checkpoints at an interval and restarts at once, at most 3 times. */
  public StreamExecutionEnvironment environment(int parallelism, Duration interval) {
    StreamExecutionEnvironment env = environmentWithoutCheckpoints(parallelism);
    env.enableCheckpointing(interval.toMillis());
    return env;
  }

  /** A job without checkpoints that restarts at once, at most 3 times. */
  public StreamExecutionEnvironment environmentWithoutCheckpoints(int parallelism) {
    Configuration conf = new Configuration();
    conf.set(StateBackendOptions.STATE_BACKEND, "hashmap");
    conf.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    conf.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.resolve("checkpoints").toUri() + "");
    conf.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    conf.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3);
    conf.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(10));
    StreamExecutionEnvironment env = new StreamExecutionEnvironment(conf);
    env.setParallelism(parallelism);
    return env;
  }

  /** The same job, but its first failure is its last. */
  public static StreamExecutionEnvironment withoutRestarts(StreamExecutionEnvironment env) {
    Configuration conf = new Configuration();
    conf.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    env.configure(conf);
    return env;
  }

  /** Submits the job of an environment. */
  public RunningJob submit(StreamExecutionEnvironment env) throws Exception {
    return submit(env.getStreamGraph().getJobGraph());
  }

  /** Submits the job of an environment, restored from a savepoint, all of whose state must fit. */
  public RunningJob submit(StreamExecutionEnvironment env, String savepoint) throws Exception {
    JobGraph graph = env.getStreamGraph().getJobGraph();
    graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint, false));
    return submit(graph);
  }

  private RunningJob submit(JobGraph graph) throws Exception {
    JobID id = cluster.submitJob(graph).get().getJobID();
    return new RunningJob(cluster, id, directory.resolve("savepoints"));
  }

  private static TestCluster start() throws Exception {
    Path directory = Files.createTempDirectory("tidemark-cluster");
    Configuration conf = new Configuration();
    conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64));
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
    conf.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
    conf.set(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofMinutes(5));
    conf.setString("metrics.reporter.test.factory.class", TestMetrics.Factory.class.getName());
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(conf)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(SLOTS)
                .withRandomPorts()
                .build());
    cluster.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(cluster, directory)));
    return new TestCluster(cluster, directory);
  }

  private static void stop(MiniCluster cluster, Path directory) {
    try {
      cluster.closeAsync().get();
      FileUtils.deleteDirectory(directory.toFile());
    } catch (IOException e) {
      System.err.println("Cannot delete " + directory + ": " + e);
    } catch (Exception e) {
      System.err.println("Cannot stop the cluster: " + e);
    }
  }
}
