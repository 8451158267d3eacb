package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.watermark.FinalizationConfig;
import dev.tidemark.iceberg.EventWriter;
import dev.tidemark.iceberg.TestCatalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.iceberg.Table;

/**
 * A table whose history looks like a working day: real commits by the real committer, whose commit
 * times are then spread over hours, since nobody waits for a test that long.
 */
final class Story {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Duration EVERY = Duration.ofMinutes(10);
  private static final long SEED = 20260101;

  private Story() {}

  /**
   * Makes table {@code name} in the HadoopCatalog of the directory.
   *
   * @param commits how many commits, ten minutes apart, the last of them a moment ago
   * @param lateAt the commits that bring a few late rows
   * @param silentAt the commits that bring nothing
   */
  static Table tell(
      Path directory, String name, int commits, List<Integer> lateAt, List<Integer> silentAt) {
    Table table = TestCatalog.hadoop(directory).create(name);
    FinalizationConfig config =
        FinalizationConfig.forWriter("orders")
            .lookback(3, Duration.ZERO)
            .readFromBeginning()
            .build();
    EventWriter writer = EventWriter.start(table, config);
    Random random = new Random(SEED);
    Instant start = Instant.now().minus(EVERY.multipliedBy(commits));
    for (int i = 0; i < commits; i++) {
      if (silentAt.contains(i)) {
        writer.writeNothing(true);
      } else {
        writer.write(events(start.plus(EVERY.multipliedBy(i)), random, lateAt.contains(i)));
      }
    }
    spread(directory.resolve("db").resolve(name).resolve("metadata"), start);
    return TestCatalog.hadoop(directory).load(name);
  }

  private static List<Long> events(Instant at, Random random, boolean late) {
    List<Long> times = new ArrayList<>();
    long newest = at.minusSeconds(20 + random.nextInt(90)).toEpochMilli();
    int delay = 12 + random.nextInt(14);
    for (int i = 0; i < 40; i++) {
      double share = Math.pow(random.nextDouble(), 2.5);
      times.add(newest - (long) (share * Duration.ofMinutes(delay).toMillis()));
    }
    if (late) {
      for (int i = 0; i < 3 + random.nextInt(30); i++) {
        times.add(newest - Duration.ofMinutes(125 + random.nextInt(30)).toMillis());
      }
    }
    return times;
  }

  /** Writes the commit times anew, in the newest metadata file. */
  static void spread(Path metadata, Instant start) {
    try {
      Path newest = newest(metadata);
      ObjectNode json = (ObjectNode) MAPPER.readTree(Files.readAllBytes(newest));
      ArrayNode snapshots = (ArrayNode) json.get("snapshots");
      Map<Long, Long> times = new java.util.HashMap<>();
      long last = 0;
      for (JsonNode snapshot : snapshots) {
        last =
            start
                .plus(EVERY.multipliedBy(snapshot.get("sequence-number").asLong() - 1))
                .toEpochMilli();
        times.put(snapshot.get("snapshot-id").asLong(), last);
        ((ObjectNode) snapshot).put("timestamp-ms", last);
      }
      for (JsonNode entry : json.get("snapshot-log")) {
        Long time = times.get(entry.get("snapshot-id").asLong());
        ((ObjectNode) entry).put("timestamp-ms", time);
      }
      json.putArray("metadata-log");
      json.put("last-updated-ms", last);
      Files.write(newest, MAPPER.writeValueAsBytes(json));
      // Hadoop's checksum of what the file was.
      Files.deleteIfExists(metadata.resolve("." + newest.getFileName() + ".crc"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path newest(Path metadata) throws IOException {
    try (Stream<Path> files = Files.list(metadata)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(".metadata.json"))
          .max(
              java.util.Comparator.comparingInt(
                  file -> Integer.parseInt(file.getFileName().toString().replaceAll("\\D", ""))))
          .orElseThrow();
    }
  }
}
