package dev.tidemark.pinot.controller;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.pinot.PinotTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pinot's segment lineage of one table: the replacement of some segments by others, which readers
 * of one broker see as one step. All that knows of its endpoints is here. Never reverts and never
 * forces a clean-up, which would touch entries of others. Not for tables with upsert.
 */
public final class SegmentLineage {
  private final PinotTable table;
  private final ControllerSettings settings;
  private final Http http;

  SegmentLineage(PinotTable table, ControllerSettings settings, Http http) {
    this.table = table;
    this.settings = settings;
    this.http = http;
  }

  /** How far a replacement has come. */
  public enum State {
    /** The new segments are hidden. */
    IN_PROGRESS,
    /** The new segments are visible, the old ones hidden. */
    COMPLETED,
    /** Given up: the new segments will be deleted, and so will any of the same name. */
    REVERTED
  }

  /**
   * One replacement.
   *
   * @param id Pinot's id of it
   * @param from segments that are replaced
   * @param to segments that replace them
   * @param state how far it has come
   * @param timestampMillis when its state changed last, epoch milliseconds
   */
  public record Entry(
      String id, List<String> from, List<String> to, State state, long timestampMillis) {
    public Entry {
      from = List.copyOf(from);
      to = List.copyOf(to);
    }

    /** Whether it has exactly these new segments, in any order. */
    public boolean isTo(Set<String> segments) {
      return new HashSet<>(to).equals(segments);
    }
  }

  /** All entries, oldest first; Pinot drops those whose replaced segments it has deleted. */
  public List<Entry> list() {
    Call call =
        Call.get("read the segment lineage of " + table, url("lineage"), settings.requestTimeout());
    String body = http.body(call);
    List<Entry> entries = new ArrayList<>();
    if (!body.isBlank()) {
      JsonNode all = Json.read(call.what(), body).path("lineageEntries");
      all.properties().forEach(field -> entries.add(entry(field)));
    }
    entries.sort(Comparator.comparingLong(Entry::timestampMillis));
    return entries;
  }

  /**
   * Starts a replacement: from now on segments of the new names are hidden.
   *
   * @param from may be empty: an append that readers see as one step
   * @param to names that are not in the table; may be empty unless {@code from} is: the old
   *     segments then vanish without others
   * @return the entry's id; that of an entry which an earlier attempt of the same request made
   * @throws PinotRefusedException if a name is not as expected
   */
  public String start(List<String> from, List<String> to) {
    Set<String> wanted = Set.copyOf(to);
    Call call =
        Call.json(
            "start to replace " + from.size() + " segments of " + table + " by " + to.size(),
            "POST",
            url("startReplaceSegments"),
            Json.write(Map.of("segmentsFrom", from, "segmentsTo", to)),
            settings.requestTimeout());
    Http.Answer answer =
        http.send(call, () -> started(from, wanted), a -> a.isPassing() && !isAboutNames(a));
    if (!answer.isSuccess()) {
      throw Http.refused(call, answer, "names that are not in the table, nor in another entry");
    }
    return Json.read(call.what(), answer.body()).path("segmentLineageEntryId").asText();
  }

  /**
   * Ends a replacement: all new segments become visible and all old ones hidden. Does nothing if it
   * has ended already.
   */
  public void end(String id) {
    Call call =
        Call.empty(
            "end the replacement " + id + " of segments of " + table,
            "POST",
            url("endReplaceSegments", "segmentLineageEntryId", id),
            settings.uploadTimeout());
    Http.Answer answer = http.send(call, () -> ended(id));
    if (!answer.isSuccess()) {
      throw Http.refused(call, answer, "an entry in progress whose segments are online");
    }
  }

  /** The entry, if it is there. */
  public Optional<Entry> find(String id) {
    return list().stream().filter(entry -> entry.id().equals(id)).findFirst();
  }

  /** Pinot answers 500 to names that are not as expected; time does not change them. */
  private static boolean isAboutNames(Http.Answer answer) {
    return answer.body().contains("exists in table")
        || answer.body().contains("does not exist in table");
  }

  private Http.@Nullable Answer started(List<String> from, Set<String> to) {
    Set<String> replaced = Set.copyOf(from);
    for (Entry entry : list()) {
      boolean same = entry.isTo(to) && new HashSet<>(entry.from()).equals(replaced);
      if (entry.state() != State.REVERTED && same) {
        String body = Json.write(Map.of("segmentLineageEntryId", entry.id()));
        return new Http.Answer(200, body, null);
      }
    }
    return null;
  }

  private Http.@Nullable Answer ended(String id) {
    boolean completed = find(id).map(e -> e.state() == State.COMPLETED).orElse(false);
    return completed ? new Http.Answer(200, "", null) : null;
  }

  private String url(String action, String... query) {
    List<String> pairs = new ArrayList<>(List.of("type", table.type().name()));
    pairs.addAll(List.of(query));
    return settings.url()
        + "/segments/"
        + Call.encode(table.rawName())
        + "/"
        + action
        + Call.query(pairs.toArray(new String[0]));
  }

  private static Entry entry(Map.Entry<String, JsonNode> field) {
    JsonNode node = field.getValue();
    return new Entry(
        field.getKey(),
        Json.texts(node.path("segmentsFrom")),
        Json.texts(node.path("segmentsTo")),
        State.valueOf(node.path("state").asText()),
        node.path("timestamp").asLong());
  }
}
