package dev.tidemark.iceberg;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/** Entries of data files, with the bounds that a writer would have found. Nobody reads the rows. */
public final class TestFiles {
  /** Event times are given as times of this day, UTC. */
  public static final String DAY = "2026-01-01";

  private static final int EVENT_TIME = 2;

  private TestFiles() {}

  /** The epoch milliseconds of a time of the day such as {@code 10:05}, or of an instant. */
  public static long at(String time) {
    return Instant.parse(time.contains("T") ? time : DAY + "T" + time + ":00Z").toEpochMilli();
  }

  /** A file with one row per event time. */
  public static DataFile of(Table table, List<Long> times) {
    long lower = times.stream().mapToLong(Long::longValue).min().orElseThrow();
    long upper = times.stream().mapToLong(Long::longValue).max().orElseThrow();
    Metrics metrics =
        new Metrics(
            (long) times.size(),
            null,
            Map.of(EVENT_TIME, (long) times.size()),
            Map.of(EVENT_TIME, 0L),
            null,
            Map.of(EVENT_TIME, micros(lower)),
            Map.of(EVENT_TIME, micros(upper)));
    return file(table).withMetrics(metrics).build();
  }

  /** A file with one row per event time. */
  public static DataFile of(Table table, String... times) {
    return of(table, Arrays.stream(times).map(TestFiles::at).toList());
  }

  /** A file whose writer kept no bounds. */
  public static DataFile withoutBounds(Table table, long rows) {
    return file(table).withRecordCount(rows).build();
  }

  /** Appends as an engine that knows nothing of finalization would; the new snapshot's id. */
  public static long append(Table table, DataFile... files) {
    var append = table.newAppend();
    Arrays.stream(files).forEach(append::appendFile);
    append.commit();
    return table.currentSnapshot().snapshotId();
  }

  /** The paths of all live data files, in order, with repetitions if there are any. */
  public static List<String> paths(Table table) {
    table.refresh();
    return table.currentSnapshot().allManifests(table.io()).stream()
        .flatMap(
            manifest -> {
              try (var files =
                  org.apache.iceberg.ManifestFiles.read(manifest, table.io(), table.specs())) {
                return java.util.stream.StreamSupport.stream(files.spliterator(), false)
                    .map(file -> file.location())
                    .collect(Collectors.toList())
                    .stream();
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            })
        .sorted()
        .toList();
  }

  private static DataFiles.Builder file(Table table) {
    return DataFiles.builder(PartitionSpec.unpartitioned())
        .withPath(table.location() + "/data/" + UUID.randomUUID() + ".parquet")
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(1_000);
  }

  private static ByteBuffer micros(long millis) {
    return Conversions.toByteBuffer(Types.TimestampType.withZone(), millis * 1_000);
  }
}
