package dev.tidemark.cli.command;

import dev.tidemark.cli.testing.Lake;
import org.junit.jupiter.api.Nested;

/** The commands on tables of Iceberg catalogs. */
class IcebergCommandsTest {
  @Nested
  class Hadoop extends CommandsContract {
    Hadoop() {
      super(Lake::hadoop);
    }
  }

  @Nested
  class Jdbc extends CommandsContract {
    Jdbc() {
      super(Lake::jdbc);
    }
  }
}
