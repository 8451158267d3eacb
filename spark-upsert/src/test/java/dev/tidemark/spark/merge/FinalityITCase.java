package dev.tidemark.spark.merge;

import dev.tidemark.spark.testing.TestLake;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;

/** Finality of the base table on two real catalogs. */
class FinalityITCase {
  @Nested
  class OnHadoop extends FinalityContract {
    @Override
    TestLake lake(Path directory) {
      return TestLake.hadoop(directory);
    }
  }

  @Nested
  class OnJdbc extends FinalityContract {
    @Override
    TestLake lake(Path directory) {
      return TestLake.jdbc(directory);
    }
  }
}
