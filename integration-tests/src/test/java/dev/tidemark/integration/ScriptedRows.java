package dev.tidemark.integration;

import dev.tidemark.flink.testing.Script;
import dev.tidemark.flink.testing.ScriptedSource;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.iceberg.Schema;
import org.apache.iceberg.flink.FlinkSchemaUtil;

/** A {@link ScriptedSource} of rows of an Iceberg schema. */
public final class ScriptedRows {
  private ScriptedRows() {}

  /** A stream of the script's rows that waits for more when all were emitted. */
  public static DataStream<RowData> unbounded(
      StreamExecutionEnvironment env, Script<RowData> script, Schema schema) {
    return ScriptedSource.unbounded(env, script, type(schema));
  }

  /** A stream of the script's rows that ends when all were released and emitted. */
  public static DataStream<RowData> bounded(
      StreamExecutionEnvironment env, Script<RowData> script, Schema schema) {
    return ScriptedSource.bounded(env, script, type(schema));
  }

  private static TypeInformation<RowData> type(Schema schema) {
    return InternalTypeInfo.of(FlinkSchemaUtil.convert(schema));
  }
}
