package dev.tidemark.iceberg.flink.sql;

import dev.tidemark.iceberg.EmbeddedCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.flink.FlinkConfigOptions;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** A person at a SQL prompt, with a catalog named {@code test} on an {@link EmbeddedCatalog}. */
final class SqlSession {
  private static final int TIMEOUT_SECONDS = 120;

  private final EmbeddedCatalog catalog;
  private final StreamTableEnvironment tables;

  private SqlSession(EmbeddedCatalog catalog, RuntimeExecutionMode mode, String catalogType) {
    this.catalog = catalog;
    Configuration config = new Configuration();
    config.set(ExecutionOptions.RUNTIME_MODE, mode);
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(2, config);
    if (mode == RuntimeExecutionMode.STREAMING) {
      env.enableCheckpointing(500);
    }
    this.tables = StreamTableEnvironment.create(env);
    createCatalog(catalogType);
  }

  static SqlSession streaming(Path directory) throws IOException {
    return new SqlSession(
        EmbeddedCatalog.in(directory), RuntimeExecutionMode.STREAMING, "tidemark");
  }

  static SqlSession batch(Path directory) throws IOException {
    return new SqlSession(EmbeddedCatalog.in(directory), RuntimeExecutionMode.BATCH, "tidemark");
  }

  /** Another person, with the stock catalog and sink (V2), on the same tables. */
  SqlSession ofStockCatalog() {
    SqlSession stock = new SqlSession(catalog, RuntimeExecutionMode.STREAMING, "iceberg");
    stock.tables.getConfig().set(FlinkConfigOptions.TABLE_EXEC_ICEBERG_USE_V2_SINK, true);
    return stock;
  }

  private void createCatalog(String type) {
    Map<String, String> properties = new LinkedHashMap<>(catalog.properties());
    properties.put("type", type);
    properties.put("catalog-impl", JdbcCatalog.class.getName());
    String with =
        properties.entrySet().stream()
            .map(e -> "'" + e.getKey() + "' = '" + e.getValue() + "'")
            .collect(Collectors.joining(", "));
    tables.executeSql("CREATE CATALOG test WITH (" + with + ")");
  }

  /** Runs a statement to its end. */
  void run(String statement) throws Exception {
    TableResult result = tables.executeSql(statement);
    if (result.getJobClient().isPresent()) {
      result.await(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** What a query answers, as text. */
  List<String> query(String select) throws Exception {
    List<String> rows = new ArrayList<>();
    try (CloseableIterator<Row> answer = tables.executeSql(select).collect()) {
      answer.forEachRemaining(row -> rows.add(row.toString()));
    }
    rows.sort(null);
    return rows;
  }

  Table table(String name) {
    return catalog.load(name);
  }

  /** The sum over all commits, since a checkpoint may fall between the rows of one INSERT. */
  long total(String name, String key) {
    long total = 0;
    for (Snapshot snapshot : table(name).snapshots()) {
      total += Long.parseLong(snapshot.summary().getOrDefault(key, "0"));
    }
    return total;
  }

  /** The summary of the last commit. */
  Map<String, String> summary(String name) {
    Snapshot snapshot = table(name).currentSnapshot();
    return snapshot.summary();
  }
}
