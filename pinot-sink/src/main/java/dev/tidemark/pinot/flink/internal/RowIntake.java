package dev.tidemark.pinot.flink.internal;

import dev.tidemark.pinot.row.PinotGenericRowConverter;
import dev.tidemark.pinot.row.Tombstones;
import dev.tidemark.pinot.segment.RejectedRowException;
import java.io.IOException;
import java.io.Serializable;
import java.util.Objects;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.types.RowKind;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.jspecify.annotations.Nullable;

/**
 * From a record to a row and its partition. A record that cannot be one goes to the listener; where
 * there is none, it fails the job for good, since it would come again after every restart.
 */
public final class RowIntake<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  private final PinotGenericRowConverter<T> converter;
  private final Tombstones tombstones;
  private final RowRoute route;
  private final RowRule rule;
  private final @Nullable RejectionListener<T> listener;
  private transient @Nullable TaskInfo task;
  private transient @Nullable WriterMetrics metrics;

  /**
   * @param converter makes rows
   * @param tombstones what the table stores for a deletion
   * @param route finds their partition
   * @param rule refuses rows that would do harm
   * @param listener takes what was rejected or refused; null to fail the job instead
   */
  public RowIntake(
      PinotGenericRowConverter<T> converter,
      Tombstones tombstones,
      RowRoute route,
      RowRule rule,
      @Nullable RejectionListener<T> listener) {
    this.converter = Objects.requireNonNull(converter, "converter is null");
    this.tombstones = Objects.requireNonNull(tombstones, "tombstones is null");
    this.route = Objects.requireNonNull(route, "route is null");
    this.rule = Objects.requireNonNull(rule, "rule is null");
    this.listener = listener;
  }

  /**
   * A row and where it belongs.
   *
   * @param isEvent whether it is counted: the row before an update is no event of its own
   */
  record Taken(GenericRow row, @Nullable Integer partition, boolean isEvent) {}

  void open(TaskInfo newTask, WriterMetrics newMetrics) {
    this.task = newTask;
    this.metrics = newMetrics;
    try {
      rule.open();
    } catch (IllegalArgumentException e) {
      throw new SuppressRestartsException(e);
    }
  }

  void beforeHandover() {
    route.beforeHandover(Objects.requireNonNull(task));
  }

  /** The row of a record; null if there is nothing to store of it. */
  @Nullable Taken take(T record) throws IOException {
    try {
      RowKind kind = converter.kind(record);
      GenericRow row = tombstones.rowFor(kind, converter.convertToRow(record));
      if (row == null) {
        return null;
      }
      String refusal = rule.refusal(row);
      if (refusal != null) {
        reject(record, true, refusal, null);
        return null;
      }
      Integer partition = route.partition(row, Objects.requireNonNull(task));
      return new Taken(row, partition, kind != RowKind.UPDATE_BEFORE);
    } catch (RejectedRowException e) {
      reject(record, e);
    } catch (SuppressRestartsException e) {
      throw e;
    } catch (RuntimeException e) {
      reject(record, false, "Cannot convert the record to a row: " + e.getMessage(), e);
    }
    return null;
  }

  /** A record whose row the table cannot hold. */
  void reject(T record, RejectedRowException reason) throws IOException {
    reject(record, false, String.valueOf(reason.getMessage()), reason);
  }

  private void reject(T record, boolean wellFormed, String reason, @Nullable Exception cause)
      throws IOException {
    Objects.requireNonNull(metrics).deadLetter();
    if (listener == null) {
      throw new SuppressRestartsException(
          new IllegalArgumentException(
              "Cannot write record "
                  + record
                  + ": "
                  + reason
                  + " (expected: a row of the table; a dead-letter listener lets the job go on"
                  + " without it)",
              cause));
    }
    try {
      listener.onRejected(record, wellFormed, reason);
    } catch (Exception e) {
      throw new IOException("Cannot report a dead letter (" + reason + "): " + e, e);
    }
  }
}
