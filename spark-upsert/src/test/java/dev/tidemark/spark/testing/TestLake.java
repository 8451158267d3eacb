package dev.tidemark.spark.testing;

import dev.tidemark.iceberg.catalog.FinalityCatalog;
import dev.tidemark.spark.table.TableName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.io.FileIO;
import org.apache.spark.sql.SparkSession;

/**
 * A catalog in a directory that Spark and the test both use, each through handles of its own. Its
 * name in the session is new each time.
 */
public final class TestLake {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final String name = "lake" + NUMBER.incrementAndGet();
  private final Map<String, String> properties;

  private TestLake(Map<String, String> properties) {
    this.properties = properties;
    configure(TestSession.get());
    if (!catalog().namespaceExists(Namespace.of("db"))) {
      catalog().createNamespace(Namespace.of("db"), Map.of());
    }
  }

  /** Makes the catalog known to one more session. */
  public void configure(SparkSession spark) {
    var conf = spark.conf();
    String prefix = "spark.sql.catalog." + name;
    conf.set(prefix, "org.apache.iceberg.spark.SparkCatalog");
    conf.set(prefix + ".catalog-impl", FinalityCatalog.class.getName());
    properties.forEach((key, value) -> conf.set(prefix + "." + key, value));
  }

  /** A HadoopCatalog. */
  public static TestLake hadoop(Path directory) {
    return new TestLake(
        Map.of("finality.type", "hadoop", "warehouse", directory.resolve("warehouse").toString()));
  }

  /** A JdbcCatalog on SQLite. */
  public static TestLake jdbc(Path directory) {
    Map<String, String> properties = new HashMap<>();
    properties.put("finality.type", "jdbc");
    properties.put("uri", "jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=30000");
    properties.put("warehouse", directory.resolve("warehouse").toString());
    properties.put("io-impl", "org.apache.iceberg.hadoop.HadoopFileIO");
    properties.put("jdbc.schema-version", "V1");
    return new TestLake(properties);
  }

  /** The same catalog with hooks around the commits of its tables; of another name. */
  public TestLake hooked() {
    Map<String, String> hooked = new HashMap<>(properties);
    boolean isJdbc = "jdbc".equals(hooked.remove(FinalityCatalog.DELEGATE_TYPE));
    Class<?> inside = isJdbc ? CommitHooks.OnJdbc.class : CommitHooks.OnHadoop.class;
    hooked.put(FinalityCatalog.DELEGATE_IMPL, inside.getName());
    return new TestLake(hooked);
  }

  /** Sets what happens around the commits of a table of a lake with hooks. */
  public void hook(TableName table, CommitHook hook) {
    CommitHooks.set(load(table).location(), hook);
  }

  /** A table of the namespace {@code db}. */
  public TableName table(String table) {
    return new TableName(name, "db", table);
  }

  /** A catalog handle of its own, as another process would have it. */
  public FinalityCatalog catalog() {
    FinalityCatalog catalog = new FinalityCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize(name, properties);
    return catalog;
  }

  /** A table handle of its own. */
  public Table load(TableName table) {
    return catalog().loadTable(table.identifier());
  }

  /** How many metadata versions a table has had. */
  public int versions(TableName table) {
    return current(table).previousFiles().size() + 1;
  }

  /** Every metadata version that a table has had, oldest first. */
  public List<TableMetadata> history(TableName table) {
    FileIO io = load(table).io();
    TableMetadata current = current(table);
    List<TableMetadata> versions = new ArrayList<>();
    current
        .previousFiles()
        .forEach(entry -> versions.add(TableMetadataParser.read(io, entry.file())));
    versions.add(current);
    return versions;
  }

  private TableMetadata current(TableName table) {
    return ((HasTableOperations) load(table)).operations().current();
  }
}
