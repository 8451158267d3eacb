package dev.tidemark.flink.testing;

import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.scheduler.stopwithsavepoint.StopWithSavepointStoppingException;
import org.apache.flink.util.ExceptionUtils;

/** A job on the shared cluster, as a test handles it. Closing it cancels it if it still runs. */
public final class RunningJob implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final MiniCluster cluster;
  private final JobID id;
  private final Path savepoints;

  RunningJob(MiniCluster cluster, JobID id, Path savepoints) {
    this.cluster = cluster;
    this.id = id;
    this.savepoints = savepoints;
  }

  /** The job's id, as Flink's own recovery keys in a summary show it. */
  public String id() {
    return id.toString();
  }

  /** Waits until every task runs. */
  public RunningJob awaitRunning() {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(this::isRunning);
    return this;
  }

  /** Waits until every task runs again, after this many restarts. */
  public RunningJob awaitRestarted(int restarts) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> attempts() >= restarts && isRunning());
    return this;
  }

  /** Waits until a task has finished, while others may go on. */
  public RunningJob awaitAFinishedTask() {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                StreamSupport.stream(graph().getAllExecutionVertices().spliterator(), false)
                    .anyMatch(vertex -> vertex.getExecutionState() == ExecutionState.FINISHED));
    return this;
  }

  /**
   * Takes a checkpoint and returns its id once it is complete; what the operators do when they hear
   * of that goes on in the background.
   */
  public long checkpoint() throws Exception {
    awaitRunning();
    return cluster.triggerCheckpoint(id, CheckpointType.FULL).get(60, TimeUnit.SECONDS);
  }

  /** Takes a savepoint beside the running job, which commits nothing of it. */
  public String savepoint() throws Exception {
    awaitRunning();
    return cluster
        .triggerSavepoint(id, savepoints.toUri().toString(), false, SavepointFormatType.CANONICAL)
        .get(60, TimeUnit.SECONDS);
  }

  /** Takes a savepoint, has it committed, and stops the job without draining it. */
  public String stopWithSavepoint() throws Exception {
    return stopWithSavepoint(false);
  }

  /** Ends the input, takes a savepoint, has it committed, and stops the job. */
  public String drain() throws Exception {
    return stopWithSavepoint(true);
  }

  private String stopWithSavepoint(boolean drain) throws Exception {
    awaitRunning();
    String path = stop(drain).get(60, TimeUnit.SECONDS);
    awaitFinished();
    return path;
  }

  /** The same, where the job fails between the savepoint and the end; returns the savepoint. */
  public String failStoppingWithSavepoint() throws Exception {
    awaitRunning();
    try {
      throw new AssertionError("The job stopped as if nothing was wrong: " + stop(false).get());
    } catch (ExecutionException e) {
      return ExceptionUtils.findThrowable(e, StopWithSavepointStoppingException.class)
          .map(StopWithSavepointStoppingException::getSavepointPath)
          .orElseThrow(() -> e);
    }
  }

  /** Cancels the job and waits for its end. */
  public void cancel() throws Exception {
    cluster.cancelJob(id).get(60, TimeUnit.SECONDS);
    result();
  }

  /** Waits until the job has finished well. */
  public void awaitFinished() throws Exception {
    JobResult result = result();
    if (!result.isSuccess()) {
      throw new AssertionError(
          "The job failed",
          result.getSerializedThrowable().map(Throwable.class::cast).orElse(null));
    }
  }

  /** Waits until the job has failed for good, and returns why, with all causes in one text. */
  public String awaitFailure() throws Exception {
    return result()
        .getSerializedThrowable()
        .map(ExceptionUtils::stringifyException)
        .orElseThrow(() -> new AssertionError("The job did not fail"));
  }

  /** How often the job was restarted. */
  public int attempts() throws Exception {
    return StreamSupport.stream(graph().getAllExecutionVertices().spliterator(), false)
        .mapToInt(vertex -> vertex.getCurrentExecutionAttempt().getAttemptNumber())
        .max()
        .orElse(0);
  }

  @Override
  public void close() throws Exception {
    JobStatus status = cluster.getJobStatus(id).get();
    if (!status.isGloballyTerminalState()) {
      cancel();
    }
  }

  private CompletableFuture<String> stop(boolean drain) {
    return cluster.stopWithSavepoint(
        id, savepoints.toUri().toString(), drain, SavepointFormatType.CANONICAL);
  }

  private boolean isRunning() throws Exception {
    AccessExecutionGraph graph = graph();
    if (graph.getState().isGloballyTerminalState()) {
      throw new AssertionError("The job is " + graph.getState() + ", not running: " + why(graph));
    }
    for (AccessExecutionVertex vertex : graph.getAllExecutionVertices()) {
      if (vertex.getExecutionState() != ExecutionState.RUNNING) {
        return false;
      }
    }
    return graph.getState() == JobStatus.RUNNING;
  }

  private static String why(AccessExecutionGraph graph) {
    return graph.getFailureInfo() == null ? "" : graph.getFailureInfo().getExceptionAsString();
  }

  private AccessExecutionGraph graph() throws Exception {
    return cluster.getExecutionGraph(id).get(60, TimeUnit.SECONDS);
  }

  private JobResult result() throws ExecutionException, InterruptedException, TimeoutException {
    return cluster.requestJobResult(id).get(5, TimeUnit.MINUTES);
  }
}
