package dev.tidemark.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopCatalog;

/** A real catalog in a directory. Every handle it gives is independent, as of another process. */
public interface TestCatalog {
  /** A handle on a new table. */
  Table create(String name, Schema schema, PartitionSpec spec, Map<String, String> properties);

  /** A handle of its own on a table, as another process would have it. */
  Table load(String name);

  /** A handle on a new table of events, with short waits between attempts to commit. */
  default Table create(String name) {
    return create(
        name,
        EmbeddedCatalog.EVENTS,
        PartitionSpec.unpartitioned(),
        Map.of("commit.retry.min-wait-ms", "1", "commit.retry.max-wait-ms", "4"));
  }

  /** A JdbcCatalog on SQLite. */
  static TestCatalog jdbc(Path directory) {
    try {
      EmbeddedCatalog catalog = EmbeddedCatalog.in(directory);
      return new TestCatalog() {
        @Override
        public Table create(
            String name, Schema schema, PartitionSpec spec, Map<String, String> properties) {
          return catalog.create(name, schema, spec, properties);
        }

        @Override
        public Table load(String name) {
          return catalog.load(name);
        }
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A HadoopCatalog. */
  static TestCatalog hadoop(Path directory) {
    return new TestCatalog() {
      @Override
      public Table create(
          String name, Schema schema, PartitionSpec spec, Map<String, String> properties) {
        return open().createTable(EmbeddedCatalog.identifier(name), schema, spec, null, properties);
      }

      @Override
      public Table load(String name) {
        return open().loadTable(EmbeddedCatalog.identifier(name));
      }

      private HadoopCatalog open() {
        return new HadoopCatalog(new Configuration(), directory.toUri().toString());
      }
    };
  }
}
