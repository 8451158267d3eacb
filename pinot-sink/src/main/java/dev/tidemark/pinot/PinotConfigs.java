package dev.tidemark.pinot;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a table config says of how long segments live. */
public final class PinotConfigs {
  private static final List<String> REWRITING_TASKS =
      List.of("MergeRollupTask", "UpsertCompactionTask", "UpsertCompactMergeTask", "PurgeTask");

  private PinotConfigs() {}

  /** How long rows are kept, milliseconds; null for ever. */
  public static @Nullable Long retentionMillis(JsonNode config) {
    JsonNode segments = config.path("segmentsConfig");
    String unit = segments.path("retentionTimeUnit").asText("");
    String value = segments.path("retentionTimeValue").asText("").strip();
    if (unit.isBlank() || unit.equals("null") || !value.matches("\\d{1,9}")) {
      return null;
    }
    long millis = TimeUnit.valueOf(unit.toUpperCase(Locale.ROOT)).toMillis(Long.parseLong(value));
    return millis > 0 ? Long.valueOf(millis) : null;
  }

  /** Whether a task of Pinot's own rewrites segments, so that one may vanish without a loss. */
  public static boolean rewritesSegments(JsonNode config) {
    JsonNode tasks = config.path("task").path("taskTypeConfigsMap");
    return REWRITING_TASKS.stream().anyMatch(tasks::has);
  }
}
