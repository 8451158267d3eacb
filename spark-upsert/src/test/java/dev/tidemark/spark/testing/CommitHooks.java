package dev.tidemark.spark.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hadoop.HadoopCatalog;
import org.apache.iceberg.jdbc.JdbcCatalog;

/** The hooks of this JVM, by the table's place; and the catalogs that ask them. */
public final class CommitHooks {
  private static final CommitHook NONE = new CommitHook() {};
  private static final Map<String, CommitHook> HOOKS = new ConcurrentHashMap<>();

  private CommitHooks() {}

  static void set(String location, CommitHook hook) {
    HOOKS.put(location, hook);
  }

  static CommitHook of(TableMetadata metadata) {
    return HOOKS.getOrDefault(metadata.location(), NONE);
  }

  /** A HadoopCatalog with hooks. */
  public static final class OnHadoop extends HadoopCatalog {
    @Override
    protected TableOperations newTableOps(TableIdentifier identifier) {
      return new CommitHook.Operations(super.newTableOps(identifier));
    }
  }

  /** A JdbcCatalog with hooks. */
  public static final class OnJdbc extends JdbcCatalog {
    @Override
    protected TableOperations newTableOps(TableIdentifier identifier) {
      return new CommitHook.Operations(super.newTableOps(identifier));
    }
  }
}
