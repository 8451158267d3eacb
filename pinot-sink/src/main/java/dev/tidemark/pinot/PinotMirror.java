package dev.tidemark.pinot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.finalization.watermark.FinalizationProperties;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The opinions and the ledger as a table config repeats them: one entry per writer under {@code
 * metadata.customConfigs}, its properties as JSON. Not the truth where a newer carrier is visible.
 * Anybody may write there: an entry that cannot be read is as good as absent. Immutable.
 *
 * @param entries properties by key of the custom configs
 */
public record PinotMirror(SortedMap<String, Map<String, String>> entries) {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String FORMAT = "1";
  private static final int MAX_RUNS = 32;

  public PinotMirror {
    entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
  }

  /** The key of a writer; null for a sink without finalization. */
  public static String key(@Nullable String writer) {
    return writer == null ? PinotProperties.LEDGER : PinotProperties.MIRROR_PREFIX + writer;
  }

  /** The key of what an administrator has said. */
  public static String adminKey() {
    return PinotProperties.ADMIN;
  }

  /** What a table config says. */
  public static PinotMirror of(JsonNode tableConfig) {
    SortedMap<String, Map<String, String>> entries = new TreeMap<>();
    tableConfig
        .path("metadata")
        .path("customConfigs")
        .properties()
        .forEach(
            field -> {
              boolean ours =
                  field.getKey().equals(PinotProperties.LEDGER)
                      || field.getKey().equals(PinotProperties.ADMIN)
                      || field.getKey().startsWith(PinotProperties.MIRROR_PREFIX);
              Map<String, String> entry = ours ? read(field.getValue().asText()) : null;
              if (entry != null) {
                entries.put(field.getKey(), entry);
              }
            });
    return new PinotMirror(entries);
  }

  /** The table config with one entry set, everything else as it is. */
  public static JsonNode with(JsonNode tableConfig, String key, Map<String, String> entry) {
    ObjectNode changed = tableConfig.deepCopy();
    ObjectNode metadata = child(changed, "metadata");
    child(metadata, "customConfigs").put(key, write(entry));
    return changed;
  }

  /** The text of one entry. */
  public static String write(Map<String, String> entry) {
    try {
      return MAPPER.writeValueAsString(new TreeMap<>(entry));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write a mirror", e);
    }
  }

  /** Whether a run has ended, and was not restored since. */
  public boolean isFinished(CommitRecord.RunRef run) {
    return entries.values().stream()
        .map(entry -> runs(entry, PinotProperties.FINISHED_RUNS).get(run.id()))
        .filter(Objects::nonNull)
        .anyMatch(epoch -> epoch >= run.restoreEpoch());
  }

  /** Whether a run has replaced segments of others, in whatever epoch. */
  public boolean hasReplaced(String runId) {
    return entries.values().stream()
        .anyMatch(entry -> runs(entry, PinotProperties.REPLACING_RUNS).containsKey(runId));
  }

  /** The list of finished runs with one more, as an entry keeps it: the newest few. */
  public String finishedRunsWith(String key, CommitRecord.RunRef run) {
    return runsWith(key, PinotProperties.FINISHED_RUNS, run);
  }

  /** The same of the runs that have replaced segments of others. */
  public String replacingRunsWith(String key, CommitRecord.RunRef run) {
    return runsWith(key, PinotProperties.REPLACING_RUNS, run);
  }

  private String runsWith(String key, String list, CommitRecord.RunRef run) {
    LinkedHashMap<String, Integer> runs = runs(entries.getOrDefault(key, Map.of()), list);
    runs.remove(run.id());
    runs.put(run.id(), run.restoreEpoch());
    while (runs.size() > MAX_RUNS) {
      runs.remove(runs.keySet().iterator().next());
    }
    StringBuilder text = new StringBuilder();
    runs.forEach(
        (id, epoch) -> text.append(text.isEmpty() ? "" : ",").append(id).append(':').append(epoch));
    return text.toString();
  }

  private static LinkedHashMap<String, Integer> runs(Map<String, String> entry, String list) {
    LinkedHashMap<String, Integer> runs = new LinkedHashMap<>();
    for (String run : entry.getOrDefault(list, "").split(",", -1)) {
      int colon = run.indexOf(':');
      if (colon > 0 && run.substring(colon + 1).matches("\\d{1,10}")) {
        long epoch = Long.parseLong(run.substring(colon + 1));
        runs.put(run.substring(0, colon), (int) Math.min(Integer.MAX_VALUE, epoch));
      }
    }
    return runs;
  }

  private static @Nullable Map<String, String> read(String text) {
    try {
      Map<String, String> entry =
          MAPPER.readValue(text, new TypeReference<Map<String, String>>() {});
      return isReadable(entry) ? entry : null;
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  /** A newer format is no damage: it is told, not taken for nothing. */
  private static boolean isReadable(Map<String, String> entry) {
    try {
      FinalizationProperties.readOpinion(entry);
      CommitRecord.read(entry);
      return true;
    } catch (IllegalArgumentException e) {
      if (!FORMAT.equals(entry.getOrDefault(FinalizationProperties.FORMAT, FORMAT))) {
        throw e;
      }
      return false;
    }
  }

  private static ObjectNode child(ObjectNode parent, String name) {
    JsonNode child = parent.get(name);
    return child instanceof ObjectNode object ? object : parent.putObject(name);
  }
}
