package dev.tidemark.pinot.flink;

import dev.tidemark.pinot.commit.KeyPartitioner;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.hash.MurmurHashFunctions;

/**
 * Which partition of the stream a row belongs to. An upsert table keeps the latest row of a key
 * only if all rows of the key are in one partition, so a backfill must put each row where the
 * producer of the stream put, or would have put, its key. Immutable.
 *
 * <pre>{@code
 * PinotPartitioning byKey = PinotPartitioning.kafka(4, KeySerializer.string(), "order_id");
 * }</pre>
 */
public final class PinotPartitioning implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int partitions;
  private final ArrayList<String> keyColumns;
  private final KeyPartitioner partitioner;

  private PinotPartitioning(int partitions, List<String> keyColumns, KeyPartitioner partitioner) {
    this.partitions = partitions;
    this.keyColumns = new ArrayList<>(keyColumns);
    this.partitioner = Objects.requireNonNull(partitioner, "partitioner is null");
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "Invalid partitions: " + partitions + " (expected: as many as the stream has)");
    }
    if (keyColumns.isEmpty()) {
      throw new IllegalArgumentException(
          "Invalid key columns: none (expected: the columns that make the stream's message key)");
    }
  }

  /**
   * As Kafka's default partitioner does it: murmur2 over the serialized key, its sign bit cleared,
   * modulo the partitions.
   *
   * @param partitions of the topic, when its messages were written
   * @param serializer what made the bytes of the message key
   * @param keyColumns which columns the key was made of, in their order; most often the primary key
   */
  public static PinotPartitioning kafka(
      int partitions, KeySerializer serializer, String... keyColumns) {
    Objects.requireNonNull(serializer, "serializer is null");
    return of(
        partitions,
        (key, count) ->
            (MurmurHashFunctions.murmurHash2(serializer.serialize(key)) & Integer.MAX_VALUE)
                % count,
        keyColumns);
  }

  /**
   * As a partitioner of the producer's own does it.
   *
   * @param partitions of the stream, when its messages were written
   * @param partitioner given the values of the key columns
   * @param keyColumns which columns the key was made of, in their order
   */
  public static PinotPartitioning of(
      int partitions, KeyPartitioner partitioner, String... keyColumns) {
    return new PinotPartitioning(partitions, List.of(keyColumns), partitioner);
  }

  /**
   * Sends each record to the subtask that owns its partition: subtask {@code partition %
   * parallelism}. {@link PinotSink} does so by itself; a {@link PinotSinkFunction} needs it in
   * front. The parallelism of the sink may be lower than the number of partitions, then a subtask
   * owns several; a higher one leaves subtasks idle.
   *
   * @param stream what goes into the sink
   * @param converter the sink's
   * @param partitioning the sink's
   */
  public static <T> DataStream<T> partitionByPrimaryKey(
      DataStream<T> stream, PinotGenericRowConverter<T> converter, PinotPartitioning partitioning) {
    Partitioner<Integer> owner = (partition, subtasks) -> partition % subtasks;
    KeySelector<T, Integer> selector = record -> partitionOrFirst(record, converter, partitioning);
    return stream.partitionCustom(owner, selector);
  }

  /**
   * A record that cannot be a row has no partition. It goes to the first, where the sink fails on
   * it again and reports it; here it would only fail the task in front of the sink, at every
   * attempt.
   */
  private static <T> int partitionOrFirst(
      T record, PinotGenericRowConverter<T> converter, PinotPartitioning partitioning) {
    try {
      return partitioning.partition(converter.convertToRow(record));
    } catch (RuntimeException e) {
      return 0;
    }
  }

  /** How many partitions the stream has. */
  public int partitions() {
    return partitions;
  }

  /** The columns that make the message key. */
  public List<String> keyColumns() {
    return List.copyOf(keyColumns);
  }

  /** The partitioner of the stream, given the values of {@link #keyColumns}. */
  KeyPartitioner partitioner() {
    return partitioner;
  }

  /**
   * The partition of a row, by its key columns as the converter made them.
   *
   * @throws IllegalArgumentException if the key cannot be serialized, or the partitioner answers
   *     something that is no partition
   */
  public int partition(GenericRow row) {
    List<Object> key = new ArrayList<>(keyColumns.size());
    for (String column : keyColumns) {
      key.add(row.getValue(column));
    }
    return partition(key);
  }

  /** The partition of a key, given as the values of the key columns. */
  public int partition(List<Object> key) {
    int partition = partitioner.partition(key, partitions);
    if (partition < 0 || partition >= partitions) {
      throw new IllegalArgumentException(
          "Invalid partition of key "
              + key
              + ": "
              + partition
              + " (expected: from 0 to "
              + (partitions - 1)
              + ")");
    }
    return partition;
  }
}
