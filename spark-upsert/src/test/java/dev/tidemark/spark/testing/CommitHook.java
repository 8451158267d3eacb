package dev.tidemark.spark.testing;

import dev.tidemark.iceberg.catalog.DelegatingOperations;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.jspecify.annotations.Nullable;

/**
 * What happens around the commits of one table of a {@link TestLake} with hooks, whoever makes
 * them: beneath the check that a commit is decided on the head, right before and after the store's
 * own atomic step.
 */
public interface CommitHook {
  /** Before the store is asked; the metadata is what the commit would make. */
  default void before(TableMetadata next) {}

  /** After the store has taken it. */
  default void after(TableMetadata committed) {}

  /** Operations with the hooks of whoever is registered when they commit. */
  final class Operations extends DelegatingOperations {
    Operations(TableOperations inside) {
      super(inside);
    }

    @Override
    public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
      CommitHook hook = CommitHooks.of(metadata);
      hook.before(metadata);
      super.commit(base, metadata);
      hook.after(metadata);
    }
  }
}
