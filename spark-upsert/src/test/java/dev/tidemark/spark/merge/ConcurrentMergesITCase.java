package dev.tidemark.spark.merge;

import dev.tidemark.spark.testing.TestLake;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;

/** Merges into one base table at one time on two real catalogs. */
class ConcurrentMergesITCase {
  @Nested
  class OnHadoop extends ConcurrentMergesContract {
    @Override
    TestLake lake(Path directory) {
      return TestLake.hadoop(directory);
    }
  }

  @Nested
  class OnJdbc extends ConcurrentMergesContract {
    @Override
    TestLake lake(Path directory) {
      return TestLake.jdbc(directory);
    }
  }
}
