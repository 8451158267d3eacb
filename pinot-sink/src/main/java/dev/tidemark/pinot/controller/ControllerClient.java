package dev.tidemark.pinot.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.pinot.PinotTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Asks a Pinot controller, and the brokers that it names. Each request carries the authorization
 * that is valid when it is sent, and is tried again with back-off where that can help. Thread-safe.
 *
 * <p>Every method throws {@link PinotUnavailableException} if there is no answer within the budget,
 * and {@link PinotRefusedException} if the answer is a refusal.
 */
public final class ControllerClient {
  private static final int NOT_FOUND = 404;
  private static final String EXTERNAL_VIEW = "externalview";
  private static final int NAMES_PER_REQUEST = 40;

  private final ControllerSettings settings;
  private final Http http;

  private ControllerClient(ControllerSettings settings, Patience patience) {
    this.settings = settings;
    this.http = new Http(settings, patience);
  }

  /** A client in real time. */
  public static ControllerClient of(ControllerSettings settings) {
    return of(settings, Patience.real());
  }

  /** A client that waits its own way. */
  public static ControllerClient of(ControllerSettings settings, Patience patience) {
    return new ControllerClient(settings, patience);
  }

  /** The controller's version, such as {@code 1.5.1}; empty if it does not say. */
  public Optional<String> version() {
    JsonNode versions = json("ask for the controller's version", "/version");
    for (Map.Entry<String, JsonNode> component : versions.properties()) {
      String version = component.getValue().asText();
      if (version.matches("\\d+\\.\\d+.*")) {
        return Optional.of(version.replaceAll("-.*", ""));
      }
    }
    return Optional.empty();
  }

  /** Raw names of all tables. */
  public List<String> tables() {
    return Json.texts(json("list the tables", "/tables").path("tables"));
  }

  /** The table's config, as the controller writes it; empty if there is no such table. */
  public Optional<JsonNode> tableConfig(PinotTable table) {
    String type = table.type().name();
    return find("read the config of " + table, tablePath(table) + Call.query("type", type))
        .map(node -> node.get(type))
        .filter(Objects::nonNull);
  }

  /**
   * Writes a table's config whole, in place of whatever it is by now. Pinot checks no version. Sent
   * once: sent again later, it would take back what somebody else wrote meanwhile.
   *
   * @param config the document that {@link #tableConfig} gave, changed
   * @throws PinotUnavailableException if it is not known whether it was written: read it again
   */
  public void putTableConfig(PinotTable table, JsonNode config) {
    http.bodyOnce(
        Call.json(
            "write the config of " + table,
            "PUT",
            settings.url() + tablePath(table) + Call.query("validationTypesToSkip", "ALL"),
            Json.write(config),
            settings.requestTimeout()));
  }

  /** The schema of a raw table name; empty if there is none. */
  public Optional<JsonNode> schema(String rawName) {
    return find("read the schema of " + rawName, "/schemas/" + Call.encode(rawName));
  }

  /** The table's segments by name, those that lineage hides included. */
  public List<String> segments(PinotTable table) {
    return segments(table, false);
  }

  /** The table's segments by name, without those that lineage hides. */
  public List<String> visibleSegments(PinotTable table) {
    return segments(table, true);
  }

  /** What the controller knows of one segment; empty if it is not there. */
  public Optional<SegmentInfo> segment(PinotTable table, String name) {
    return find(
            "read segment " + name + " of " + table,
            segmentsPath(table.nameWithType()) + "/" + Call.encode(name) + "/metadata")
        .map(node -> SegmentInfo.of(name, node));
  }

  /** What the controller knows of all segments, by name: megabytes on a large table. */
  public Map<String, SegmentInfo> allSegments(PinotTable table) {
    JsonNode all =
        json(
            "read all segments of " + table,
            segmentsPath(table.rawName())
                + "/zkmetadata"
                + Call.query("type", table.type().name()));
    Map<String, SegmentInfo> segments = new LinkedHashMap<>();
    all.properties()
        .forEach(f -> segments.put(f.getKey(), SegmentInfo.of(f.getKey(), f.getValue())));
    return segments;
  }

  /** Whether the segment is assigned to servers. */
  public boolean isAssigned(PinotTable table, String name) {
    return idealState(table, List.of(name)).containsKey(name);
  }

  /** Which server is to hold which of these segments, and how; absent ones are left out. */
  public Map<String, Map<String, String>> idealState(PinotTable table, Collection<String> names) {
    return states(table, "idealstate", names);
  }

  /**
   * Which server holds which of these segments, and how; absent ones are left out. A table has no
   * external view until a server reported of it for the first time: then nobody holds any.
   */
  public Map<String, Map<String, String>> externalView(PinotTable table, Collection<String> names) {
    return states(table, EXTERNAL_VIEW, names);
  }

  /** Which server is to hold which segment, for the whole table. */
  public Map<String, Map<String, String>> idealState(PinotTable table) {
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    addStates(states, table, "idealstate", List.of());
    return states;
  }

  /** How many requests were sent again since this client was made. */
  public long retries() {
    return http.retries();
  }

  /** The table's lineage. */
  public SegmentLineage lineage(PinotTable table) {
    return new SegmentLineage(table, settings, http);
  }

  /** Pushes segments into a table. */
  public SegmentPush push(PinotTable table) {
    return new SegmentPush(table, this, settings, http);
  }

  /** Base URLs of the brokers that serve a table: those of the settings, else the controller's. */
  public List<String> brokers(PinotTable table) {
    if (!settings.brokerUrls().isEmpty()) {
      return List.copyOf(settings.brokerUrls());
    }
    JsonNode instances =
        json(
            "ask for the brokers of " + table,
            "/v2/brokers/tables/"
                + Call.encode(table.rawName())
                + Call.query("type", table.type().name(), "state", "ONLINE"));
    String scheme = settings.url().substring(0, settings.url().indexOf(':'));
    List<String> urls = new ArrayList<>();
    instances.forEach(
        i -> urls.add(scheme + "://" + i.path("host").asText() + ":" + i.path("port").asText()));
    return urls;
  }

  /**
   * Asks a broker.
   *
   * @param broker its base URL
   * @throws PinotUnavailableException if the answer is not whole
   */
  public QueryResult query(String broker, String sql) {
    String what = "query " + broker;
    String body =
        http.body(
            Call.json(
                what,
                "POST",
                broker + "/query/sql",
                Json.write(Map.of("sql", sql)),
                settings.requestTimeout()));
    JsonNode answer = Json.read(what, body);
    if (!answer.path("exceptions").isEmpty()) {
      throw new PinotUnavailableException(
          "Cannot " + what + " with " + sql + ": " + answer.path("exceptions"));
    }
    List<List<JsonNode>> rows = new ArrayList<>();
    for (JsonNode row : answer.path("resultTable").path("rows")) {
      List<JsonNode> values = new ArrayList<>();
      row.forEach(values::add);
      rows.add(List.copyOf(values));
    }
    JsonNode schema = answer.path("resultTable").path("dataSchema");
    return new QueryResult(
        Json.texts(schema.path("columnNames")), Json.texts(schema.path("columnDataTypes")), rows);
  }

  /** Asks the first broker that serves a table. */
  public QueryResult query(PinotTable table, String sql) {
    List<String> brokers = brokers(table);
    if (brokers.isEmpty()) {
      throw new PinotUnavailableException(
          "Cannot query " + table + ": no broker serves it (expected: at least one online)");
    }
    return query(brokers.get(0), sql);
  }

  /** Stops the table's consumption, after the consuming segments are sealed. */
  public void pauseConsumption(PinotTable table) {
    act("pause the consumption of " + table, table, "/pauseConsumption");
  }

  /** Lets the table consume again. */
  public void resumeConsumption(PinotTable table) {
    act("resume the consumption of " + table, table, "/resumeConsumption");
  }

  /** Seals the table's consuming segments. */
  public void forceCommit(PinotTable table) {
    act("force the commit of " + table, table, "/forceCommit");
  }

  /** Whether consumption is paused and no segment is consuming. */
  public boolean isPaused(PinotTable table) {
    JsonNode status =
        json("ask whether " + table + " is paused", tablePath(table) + "/pauseStatus");
    return status.path("pauseFlag").asBoolean() && status.path("consumingSegments").isEmpty();
  }

  /** A node of ZooKeeper with its version, for a compare-and-set. */
  public record ZkNode(int version, ObjectNode record) {}

  /** The table config's node. Needs rights on the cluster. */
  public ZkNode zkTableConfig(PinotTable table) {
    String path = Call.query("path", zkPath(table));
    int version = json("read a version", "/zk/stat" + path).path("version").asInt();
    return new ZkNode(version, (ObjectNode) json("read the config of " + table, "/zk/get" + path));
  }

  /**
   * Writes the table config's node, if it still has the version.
   *
   * @return false if it has not, or if nobody knows
   */
  public boolean putZkTableConfig(PinotTable table, ZkNode node) {
    Call call =
        Call.json(
            "write the config of " + table,
            "PUT",
            settings.url()
                + "/zk/put"
                + Call.query(
                    "path", zkPath(table), "expectedVersion", Integer.toString(node.version())),
            Json.write(node.record()),
            settings.requestTimeout());
    Http.Answer answer = http.send(call, () -> null, a -> a.status() != 500 && a.isPassing());
    if (answer.status() / 100 == 4) {
      throw Http.refused(call, answer, "rights on the cluster");
    }
    return answer.isSuccess();
  }

  private String zkPath(PinotTable table) {
    String cluster = json("ask for the cluster", "/cluster/info").path("clusterName").asText();
    return "/" + cluster + "/PROPERTYSTORE/CONFIGS/TABLE/" + table.nameWithType();
  }

  private List<String> segments(PinotTable table, boolean visibleOnly) {
    JsonNode lists =
        json(
            "list the segments of " + table,
            segmentsPath(table.rawName())
                + Call.query(
                    "type",
                    table.type().name(),
                    "excludeReplacedSegments",
                    Boolean.toString(visibleOnly)));
    List<String> names = new ArrayList<>();
    lists.forEach(list -> names.addAll(Json.texts(list.path(table.type().name()))));
    return names;
  }

  private Map<String, Map<String, String>> states(
      PinotTable table, String view, Collection<String> names) {
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    List<String> all = List.copyOf(names);
    for (int from = 0; from < all.size(); from += NAMES_PER_REQUEST) {
      int to = Math.min(all.size(), from + NAMES_PER_REQUEST);
      addStates(states, table, view, all.subList(from, to));
    }
    return states;
  }

  private void addStates(
      Map<String, Map<String, String>> states, PinotTable table, String view, List<String> names) {
    String type = table.type().name();
    String query =
        names.isEmpty()
            ? Call.query("tableType", type)
            : Call.query("tableType", type, "segmentNames", String.join(",", names));
    String what = "read the " + view + " of " + table;
    String path = tablePath(table) + "/" + view + query;
    Optional<JsonNode> answer =
        view.equals(EXTERNAL_VIEW) ? find(what, path) : Optional.of(json(what, path));
    answer.ifPresent(
        found ->
            found
                .path(type)
                .properties()
                .forEach(
                    segment -> states.put(segment.getKey(), Json.textMap(segment.getValue()))));
  }

  private void act(String what, PinotTable table, String action) {
    http.body(
        Call.empty(
            what, "POST", settings.url() + tablePath(table) + action, settings.uploadTimeout()));
  }

  private JsonNode json(String what, String path) {
    return Json.read(
        what, http.body(Call.get(what, settings.url() + path, settings.requestTimeout())));
  }

  private Optional<JsonNode> find(String what, String path) {
    Call call = Call.get(what, settings.url() + path, settings.requestTimeout());
    Http.Answer answer = http.send(call);
    if (answer.status() == NOT_FOUND) {
      return Optional.empty();
    }
    if (!answer.isSuccess()) {
      throw Http.refused(call, answer, "");
    }
    return Optional.of(Json.read(what, answer.body()));
  }

  private static String tablePath(PinotTable table) {
    return "/tables/" + Call.encode(table.rawName());
  }

  private static String segmentsPath(String table) {
    return "/segments/" + Call.encode(table);
  }
}
