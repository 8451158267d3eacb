package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.PinotTable;
import dev.tidemark.pinot.commit.KeyPartitioner;
import dev.tidemark.pinot.commit.KeySamples;
import dev.tidemark.pinot.commit.PartitionPreflight;
import dev.tidemark.pinot.commit.PartitionProof;
import dev.tidemark.pinot.commit.TableShape;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partition is the number of the subtask, because the program has partitioned in front of the
 * sink, by a function that nobody here knows. So it is found out: of the partitioners that streams
 * are written with, those that explain where the first keys arrived; one of them must agree with
 * the partitions in which the table's keys are.
 */
public final class CheckedSubtaskRoute implements RowRoute {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(CheckedSubtaskRoute.class);
  private static final int KEYS = 200;

  private final PinotTable table;
  private final ControllerSettings controller;
  private final ArrayList<String> keyColumns;
  private final KeySamples samples;
  private final boolean acceptsUnproven;
  private transient Set<List<Object>> seen = new LinkedHashSet<>();
  private transient boolean isProved;

  /**
   * @param keyColumns the primary key
   * @param samples where real keys come from
   * @param acceptsUnproven whether the run goes on where nothing can be proved
   */
  public CheckedSubtaskRoute(
      PinotTable table,
      ControllerSettings controller,
      List<String> keyColumns,
      KeySamples samples,
      boolean acceptsUnproven) {
    this.table = table;
    this.controller = controller;
    this.keyColumns = new ArrayList<>(keyColumns);
    this.samples = samples;
    this.acceptsUnproven = acceptsUnproven;
  }

  @Override
  public Integer partition(GenericRow row, TaskInfo task) {
    if (seen == null) {
      seen = new LinkedHashSet<>();
    }
    if (!isProved && seen.size() < KEYS) {
      List<Object> key = new ArrayList<>();
      keyColumns.forEach(column -> key.add(row.getValue(column)));
      seen.add(key);
    }
    return task.getIndexOfThisSubtask();
  }

  @Override
  public void beforeHandover(TaskInfo task) {
    if (isProved || seen == null || seen.isEmpty()) {
      return;
    }
    Map<String, PartitionPreflight.Result> results = results(task);
    if (results.values().stream().noneMatch(PartitionPreflight.Proved.class::isInstance)) {
      boolean isOpen =
          results.values().stream().anyMatch(PartitionPreflight.Inconclusive.class::isInstance);
      if (!isOpen || !acceptsUnproven) {
        throw new SuppressRestartsException(refused(task, results));
      }
    }
    LOG.info("Partitions of {} in subtask {}: {}", table, task.getIndexOfThisSubtask(), results);
    isProved = true;
    seen.clear();
  }

  private Map<String, PartitionPreflight.Result> results(TaskInfo task) {
    ControllerClient client = ControllerClient.of(controller);
    TableShape shape = TableShape.read(table, client);
    Map<String, PartitionPreflight.Result> results = new LinkedHashMap<>();
    KnownPartitioners.all()
        .forEach(
            (name, partitioner) -> {
              if (explains(partitioner, task)) {
                PartitionProof proof = new PartitionProof(partitioner, samples, acceptsUnproven);
                results.put(
                    name,
                    new PartitionPreflight(proof, client)
                        .check(shape, task.getNumberOfParallelSubtasks()));
              }
            });
    return results;
  }

  private boolean explains(KeyPartitioner partitioner, TaskInfo task) {
    try {
      return keyColumns.size() == 1
          && keys()
              .allMatch(
                  key ->
                      partitioner.partition(key, task.getNumberOfParallelSubtasks())
                          == task.getIndexOfThisSubtask());
    } catch (RuntimeException e) {
      return false;
    }
  }

  private Stream<List<Object>> keys() {
    return seen.stream();
  }

  private IllegalArgumentException refused(
      TaskInfo task, Map<String, PartitionPreflight.Result> results) {
    return new IllegalArgumentException(
        "Cannot publish to "
            + table
            + ": the keys that arrived in subtask "
            + task.getIndexOfThisSubtask()
            + " of "
            + task.getNumberOfParallelSubtasks()
            + (results.isEmpty()
                ? " were partitioned in no way that is known"
                : " could have been partitioned so, which the table does not confirm: " + results)
            + " (expected: the stream's own partitioning, given to the sink with"
            + " PinotSink.builder(...).partitioning(...))");
  }
}
