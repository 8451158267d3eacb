package dev.tidemark.iceberg;

import org.junit.jupiter.api.Nested;

/** The contracts of tables on a JdbcCatalog. */
class JdbcTableTest {
  @Nested
  class Commit extends CommitContract {
    Commit() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class CompareAndSet extends CompareAndSetContract {
    CompareAndSet() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class Writers extends WritersContract {
    Writers() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class History extends HistoryContract {
    History() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class Rollback extends RollbackContract {
    Rollback() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class Branch extends BranchContract {
    Branch() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class Foreign extends ForeignContract {
    Foreign() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class Answers extends AnswersContract {
    Answers() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class Mirror extends MirrorContract {
    Mirror() {
      super(TestCatalog::jdbc);
    }
  }

  @Nested
  class Coverage extends CoverageContract {
    Coverage() {
      super(TestCatalog::jdbc);
    }
  }
}
