package dev.tidemark.quickstart.mainjob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.quickstart.embedded.EmbeddedIcebergCatalog;
import dev.tidemark.quickstart.embedded.EmbeddedMariaDb;
import dev.tidemark.quickstart.flights.Flight;
import dev.tidemark.quickstart.flights.FlightChange;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import org.apache.flink.core.execution.JobClient;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A merge that fails beside a stream that has minutes to go. */
class FailingMergeITCase {
  private static final Duration PACE = Duration.ofMinutes(4);

  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void streamEndsWithItsWordsBeforeTheNextChange() throws Exception {
    try (EmbeddedMariaDb mariaDb = EmbeddedMariaDb.start();
        Connection connection = mariaDb.connect("");
        EmbeddedIcebergCatalog catalog = EmbeddedIcebergCatalog.in(directory)) {
      FlightDatabase database = new FlightDatabase(connection);
      database.createTable();
      Table ledger =
          catalog.create(LedgerJob.TABLE, BaseTable.SCHEMA, PartitionSpec.unpartitioned());
      ledger.newAppend().appendFile(aRow()).commit();
      Table base = catalog.create(BaseTable.TABLE, BaseTable.SCHEMA, PartitionSpec.unpartitioned());
      BaseMerges merges =
          new BaseMerges(withoutSpark(catalog), directory, ledger, base, line -> {});
      try (MergeSchedule schedule = MergeSchedule.start(merges, PACE)) {
        FlightReplay replay =
            new FlightReplay(
                database,
                new LedgerWatch(catalog.load(LedgerJob.TABLE), line -> {}),
                neverAsked(),
                schedule::check);
        assertThatThrownBy(() -> replay.apply(List.of(landing(1), landing(2)), PACE))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("Failed: Spark's merge ended with exit status 1")
            .hasMessageContaining("dev.tidemark.spark.SparkUpsert");
        assertThat(replay.applied()).isEqualTo(1);
        assertThatThrownBy(schedule::awaitFirst).hasMessageStartingWith("Failed: Spark's merge");
      }
    }
  }

  private static DataFile aRow() {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath("/nobody/reads/it.parquet")
        .withFileSizeInBytes(1)
        .withRecordCount(1)
        .build();
  }

  /** A class path without the program. */
  private MergeProcess withoutSpark(EmbeddedIcebergCatalog catalog) throws Exception {
    Path module = directory.resolve("module");
    Files.createDirectories(module.resolve("target/classes"));
    Files.createFile(module.resolve("target/classpath.txt"));
    return new MergeProcess(module, catalog.name(), catalog.properties());
  }

  private static FlightChange landing(int hour) {
    LocalDateTime at = LocalDateTime.of(2001, 1, 1, hour, 0);
    return new FlightChange(
        at, FlightChange.Kind.INSERT, new Flight(hour, at, 0, 100, "AAA", "BBB"));
  }

  private static JobClient neverAsked() {
    return (JobClient)
        Proxy.newProxyInstance(
            JobClient.class.getClassLoader(),
            new Class<?>[] {JobClient.class},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            });
  }
}
