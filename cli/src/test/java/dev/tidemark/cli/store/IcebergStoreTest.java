package dev.tidemark.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.finalization.sensor.TableFinality;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestCatalog;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IcebergStoreTest {
  @SuppressWarnings("NullAway.Init") // set by JUnit
  @TempDir
  Path directory;

  @Test
  void commitsAreAsOfTheFinalityThatWasReadThoughOthersCommit() {
    EventWriter writer =
        EventWriter.start(TestCatalog.hadoop(directory).create("events"), "orders");
    writer.write("10:00", "12:30");
    CatalogSettings settings =
        CatalogSettings.read(
            null,
            Map.of("lake.type", "hadoop", "lake.warehouse", directory.toUri().toString()),
            name -> null);
    try (Stores stores = new Stores(settings, Clock.systemUTC())) {
      FinalityTable table = stores.table(TableAddress.parse("lake.db.events"));
      TableFinality before = table.finality();
      writer.write("12:10", "12:50");
      assertThat(table.commits().findFirst().orElseThrow().id()).isEqualTo(before.snapshotId());
      TableFinality after = table.finality();
      assertThat(after.snapshotId()).isNotEqualTo(before.snapshotId());
      assertThat(table.commits().findFirst().orElseThrow().id()).isEqualTo(after.snapshotId());
    }
  }
}
