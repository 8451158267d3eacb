package dev.tidemark.iceberg;

import org.junit.jupiter.api.Nested;

/** The contracts of tables on a HadoopCatalog. */
class HadoopTableTest {
  @Nested
  class Commit extends CommitContract {
    Commit() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class CompareAndSet extends CompareAndSetContract {
    CompareAndSet() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class Writers extends WritersContract {
    Writers() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class History extends HistoryContract {
    History() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class Rollback extends RollbackContract {
    Rollback() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class Branch extends BranchContract {
    Branch() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class Foreign extends ForeignContract {
    Foreign() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class Answers extends AnswersContract {
    Answers() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class Mirror extends MirrorContract {
    Mirror() {
      super(TestCatalog::hadoop);
    }
  }

  @Nested
  class Coverage extends CoverageContract {
    Coverage() {
      super(TestCatalog::hadoop);
    }
  }
}
