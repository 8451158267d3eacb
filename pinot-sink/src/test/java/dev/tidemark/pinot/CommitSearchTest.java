package dev.tidemark.pinot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tidemark.finalization.commit.RecentCommit;
import dev.tidemark.pinot.controller.ControllerClient;
import dev.tidemark.pinot.controller.ControllerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table of several hundred small segments behind a double of the controller. */
class CommitSearchTest {
  private static final PinotTable TABLE = PinotTable.parse("small_OFFLINE");
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String ALL = "/segments/small/zkmetadata?type=OFFLINE";

  private final Map<String, Map<String, String>> customMaps = new TreeMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private CommitSearch search;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    search =
        new CommitSearch(
            TABLE,
            ControllerClient.of(
                ControllerSettings.of("http://127.0.0.1:" + server.getAddress().getPort())));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void oneRunOfManySegmentsCostsTwoReads() {
    for (int commit = 0; commit < 100; commit++) {
      int first = commit * 4;
      commit(
          "run", commit, IntStream.range(first, first + 4).mapToObj(i -> name("run", i)).toList());
    }
    List<RecentCommit> newest = search.newestFirst(customMaps.keySet());
    assertThat(newest).extracting(RecentCommit::id).containsExactly(name("run", 396));
    assertThat(asked).hasSize(2);

    commit("run", 100, List.of(name("run", 400)));
    assertThat(search.newestFirst(customMaps.keySet()).get(0).id()).isEqualTo(name("run", 400));
    assertThat(asked).hasSize(3).doesNotContain(ALL);
  }

  @Test
  void manyRunsAreReadAtOnceAndThenRemembered() {
    for (int run = 0; run < 300; run++) {
      commit("run" + run + "x", run, List.of(name("run" + run + "x", 0)));
    }
    List<RecentCommit> newest = search.newestFirst(customMaps.keySet());
    assertThat(newest).hasSize(300);
    assertThat(newest.get(0).id()).isEqualTo(name("run299x", 0));
    assertThat(asked).hasSize(33).containsOnlyOnce(ALL);

    assertThat(search.newestFirst(customMaps.keySet())).isEqualTo(newest);
    assertThat(asked).hasSize(33);
    commit("run300x", 300, List.of(name("run300x", 0)));
    assertThat(search.newestFirst(customMaps.keySet()).get(0).id()).isEqualTo(name("run300x", 0));
    assertThat(asked).hasSize(34);
  }

  @Test
  void carriersOfSeriesThatAreGoneDoNotHideOlderCommits() {
    commit("run", 0, List.of(name("run", 0)));
    for (int i = 1; i < 200; i++) {
      customMaps.put(name("run", i), Map.of(PinotProperties.CARRIER, "gone_0_0_0"));
    }
    assertThat(search.newestFirst(customMaps.keySet()))
        .extracting(RecentCommit::id)
        .containsExactly(name("run", 0));
    assertThat(asked).hasSizeLessThanOrEqualTo(34);
  }

  @Test
  void segmentsOfOthersAreNoCommits() {
    for (int i = 0; i < 200; i++) {
      customMaps.put("theirs" + i + "_x_" + i, Map.of());
      customMaps.put("small__0__" + i + "__20260101T0000Z", Map.of());
    }
    commit("run", 0, List.of(name("run", 0)));
    assertThat(search.newestFirst(customMaps.keySet()))
        .extracting(RecentCommit::id)
        .containsExactly(name("run", 0));
    assertThat(asked).hasSizeLessThanOrEqualTo(33);
  }

  /** Segment 1 was staged before the savepoint: it carried a commit that the rewind withdraws. */
  @Test
  void keptCarrierOfAWithdrawnCommitHidesNoEarlierOne() {
    commit("run", 1, List.of(name("run", 0)));
    commit("run", 2, List.of(name("run", 1)));
    CommitRecord.RunRef restored = new CommitRecord.RunRef("run", 1, 2L);
    String first = "small_run_1_0_0";
    customMaps.put(first, record("r", restored, 3, first, 2_000).properties());

    assertThat(search.newestFirst(customMaps.keySet()))
        .extracting(RecentCommit::id)
        .containsExactly(first, name("run", 0));
  }

  @Test
  void whatWasJustPublishedIsNotRead() {
    for (int commit = 0; commit < 3; commit++) {
      List<String> all = new ArrayList<>();
      for (int subtask = 0; subtask < 50; subtask++) {
        all.add("small_run_0_" + subtask + "_" + commit);
      }
      commit("run", commit, all);
      search.published(all, all.get(0), customMaps.getOrDefault(all.get(0), Map.of()));
      assertThat(search.newestFirst(customMaps.keySet()).get(0).id()).isEqualTo(all.get(0));
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void commitsOfSegmentsThatAreGoneAreForgotten() {
    commit("run", 0, List.of(name("run", 0)));
    assertThat(search.newestFirst(customMaps.keySet())).hasSize(1);
    assertThat(search.newestFirst(List.of())).isEmpty();
    customMaps.clear();
    assertThat(search.commit(name("run", 0))).isEmpty();
  }

  private static String name(String run, int sequence) {
    return "small_" + run + "_0_0_" + sequence;
  }

  private void commit(String run, int number, List<String> segments) {
    CommitRecord record =
        record(
            run + "-" + number,
            new CommitRecord.RunRef(run, 0),
            number,
            segments.get(0),
            1_000 + number);
    segments.forEach(segment -> customMaps.put(segment, record.pointer()));
    customMaps.put(segments.get(0), record.properties());
  }

  private static CommitRecord record(
      String id, CommitRecord.RunRef run, long checkpoint, String carrier, long time) {
    CommitRecord.Size size = new CommitRecord.Size(1, 1, 1, null, null, null);
    return new CommitRecord(id, run, checkpoint, carrier, time, size, false, null);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String uri = exchange.getRequestURI().toString();
      asked.add(uri);
      ObjectNode body = MAPPER.createObjectNode();
      if (uri.equals(ALL)) {
        customMaps.forEach((name, map) -> fill(body.putObject(name), map));
      } else {
        String[] path = uri.split("/");
        fill(body, customMaps.getOrDefault(path[3], Map.of()));
      }
      byte[] bytes = MAPPER.writeValueAsBytes(body);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private static void fill(ObjectNode segment, Map<String, String> map) {
    segment.put("segment.crc", "1");
    segment.put("custom.map", MAPPER.valueToTree(map).toString());
  }
}
