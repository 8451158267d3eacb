package dev.tidemark.pinot.flink;

import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.ScriptedSource;
import dev.tidemark.pinot.flink.testing.MemoryTable;
import dev.tidemark.pinot.row.PinotGenericRowConverter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.config.table.UpsertConfig;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;

/** The tables that the sinks are tested with, and their rows: numbers with a value ten times so. */
final class Orders {
  static final String TOO_BAD = "too bad";

  private Orders() {}

  /** An OFFLINE table of {@code id} and {@code v}, without a time column. */
  static TableConfig offline() {
    return new TableConfigBuilder(TableType.OFFLINE).setTableName("a").build();
  }

  static Schema offlineSchema() {
    return new Schema.SchemaBuilder()
        .setSchemaName("a")
        .addSingleValueDimension("id", FieldSpec.DataType.INT)
        .addMetric("v", FieldSpec.DataType.INT)
        .build();
  }

  /** A REALTIME table with full upsert, by {@code id} as text. */
  static TableConfig upsert() {
    UpsertConfig upsert = new UpsertConfig(UpsertConfig.Mode.FULL);
    upsert.setDeleteRecordColumn("gone");
    TableConfig config =
        new TableConfigBuilder(TableType.REALTIME)
            .setTableName("u")
            .setTimeColumnName("ts")
            .build();
    config.setUpsertConfig(upsert);
    return config;
  }

  static Schema upsertSchema() {
    return new Schema.SchemaBuilder()
        .setSchemaName("u")
        .addSingleValueDimension("id", FieldSpec.DataType.STRING)
        .addSingleValueDimension("gone", FieldSpec.DataType.BOOLEAN)
        .addMetric("v", FieldSpec.DataType.INT)
        .addDateTime("ts", FieldSpec.DataType.LONG, "1:MILLISECONDS:EPOCH", "1:MILLISECONDS")
        .setPrimaryKeyColumns(List.of("id"))
        .build();
  }

  static List<Integer> ids(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  /** A sink into an OFFLINE table in memory. */
  static PinotSinkBuilder<Integer> sink(MemoryTable table, Path directory) {
    return PinotSink.builder(new OfflineRow(), offline(), offlineSchema())
        .staging(directory.resolve("staging").toUri().toString())
        .commitEveryCheckpoints(1)
        .publishers(table.publishers());
  }

  /** A sink into an upsert table in memory, in four partitions by text. */
  static PinotSinkBuilder<Integer> upsertSink(MemoryTable table, Path directory) {
    return PinotSink.builder(new UpsertRow(), upsert(), upsertSchema())
        .staging(directory.resolve("staging").toUri().toString())
        .partitioning(PinotPartitioning.kafka(4, KeySerializer.string(), "id"))
        .commitEveryCheckpoints(1)
        .publishers(table.publishers());
  }

  static DataStream<Integer> unbounded(StreamExecutionEnvironment env, Script<Integer> script) {
    return ScriptedSource.unbounded(env, script, Types.INT);
  }

  static DataStream<Integer> bounded(StreamExecutionEnvironment env, Script<Integer> script) {
    return ScriptedSource.bounded(env, script, Types.INT);
  }

  /** Negative numbers cannot be converted. */
  static class OfflineRow implements PinotGenericRowConverter<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public GenericRow convertToRow(Integer id) {
      if (id < 0) {
        throw new IllegalArgumentException(TOO_BAD);
      }
      GenericRow row = new GenericRow();
      row.putValue("id", id);
      row.putValue("v", id * 10);
      return row;
    }

    @Override
    public Integer convertFromRow(GenericRow row) {
      return (Integer) row.getValue("id");
    }
  }

  /** The key is {@code o} and the number. */
  static final class UpsertRow implements PinotGenericRowConverter<Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public GenericRow convertToRow(Integer id) {
      GenericRow row = new GenericRow();
      row.putValue("id", "o" + id);
      row.putValue("v", id * 10);
      row.putValue("ts", 1_767_225_600_000L + id);
      row.putValue("gone", false);
      return row;
    }

    @Override
    public Integer convertFromRow(GenericRow row) {
      throw new UnsupportedOperationException("one way");
    }
  }
}
