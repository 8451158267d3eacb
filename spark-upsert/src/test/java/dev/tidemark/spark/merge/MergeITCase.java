package dev.tidemark.spark.merge;

import dev.tidemark.spark.testing.TestLake;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;

/** The merge on two real catalogs, merge-on-read and copy-on-write. */
class MergeITCase {
  @Nested
  class CopyOnWriteOnHadoop extends MergeContract {
    @Override
    TestLake lake(Path directory) {
      return TestLake.hadoop(directory);
    }

    @Override
    String mode() {
      return "copy-on-write";
    }
  }

  @Nested
  class MergeOnReadOnJdbc extends MergeContract {
    @Override
    TestLake lake(Path directory) {
      return TestLake.jdbc(directory);
    }

    @Override
    String mode() {
      return "merge-on-read";
    }
  }
}
