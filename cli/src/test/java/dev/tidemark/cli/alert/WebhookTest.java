package dev.tidemark.cli.alert;

import static dev.tidemark.cli.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.testing.Receiver;
import dev.tidemark.cli.testing.Receiver.Posted;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WebhookTest {
  private static final Duration PAUSE = Duration.ofMillis(5);

  private final List<String> log = new CopyOnWriteArrayList<>();
  private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private Webhook webhook(URI uri, int capacity) {
    Webhook webhook = Webhook.to(uri, PAUSE, capacity, log::add);
    open.add(webhook);
    return webhook;
  }

  private Receiver receiver(Integer... first) {
    Receiver receiver = Receiver.start(first);
    open.add(receiver);
    return receiver;
  }

  private static Alert alert(int revision) {
    return new Alert(
        Alert.Kind.LATE_DATA,
        "lake.db.events",
        "lake.db.events/2026-01-01T11:00:00Z/" + revision,
        "late rows",
        Instant.parse("2026-01-01T13:00:00Z"),
        Map.of("revision", Integer.toString(revision)));
  }

  @Test
  void failedDeliveryIsTriedAgainWithTheSameKey() {
    Receiver receiver = receiver(500, 503, 429);
    Webhook webhook = webhook(receiver.uri(), 10);
    webhook.offer(alert(1));
    await().until(() -> webhook.counts(1), new AlertCounts(1, 1, 0, 0)::equals);
    assertThat(receiver.posted()).extracting(Posted::answered).containsExactly(500, 503, 429, 204);
    assertThat(receiver.posted())
        .extracting(Posted::key)
        .containsOnly("lake.db.events/2026-01-01T11:00:00Z/1");
    assertThat(log).hasSize(3).allSatisfy(line -> assertThat(line).contains("next try in"));
  }

  @Test
  void bodySaysWhatHappened() {
    Receiver receiver = receiver();
    webhook(receiver.uri(), 10).offer(alert(2));
    await().until(() -> receiver.taken().size() == 1);
    assertThat(receiver.posted().get(0).json().toString())
        .isEqualTo(
            "{\"kind\":\"LATE_DATA\",\"table\":\"lake.db.events\","
                + "\"key\":\"lake.db.events/2026-01-01T11:00:00Z/2\",\"text\":\"late rows\","
                + "\"at\":\"2026-01-01T13:00:00Z\",\"revision\":\"2\"}");
  }

  @Test
  void refusedAlertIsDroppedAloudAndTheNextSaysSo() {
    Receiver receiver = receiver(400);
    Webhook webhook = webhook(receiver.uri(), 10);
    webhook.offer(alert(1));
    webhook.offer(alert(2));
    await().until(() -> webhook.counts(2).delivered() == 1);
    assertThat(receiver.taken()).containsExactly("lake.db.events/2026-01-01T11:00:00Z/2");
    assertThat(receiver.posted().get(1).json().get("droppedBefore").asInt()).isEqualTo(1);
    assertThat(log).anySatisfy(line -> assertThat(line).contains("refused it with 400"));
  }

  @Test
  void receiverThatIsDownGetsAllInOrderOnceItIsBack() {
    Receiver first = Receiver.start();
    URI uri = first.uri();
    int port = first.port();
    first.close();
    Webhook webhook = webhook(uri, 10);
    webhook.offer(alert(1));
    webhook.offer(alert(2));
    webhook.offer(alert(3));
    await().until(() -> !log.isEmpty());
    Receiver back = Receiver.startAt(port);
    open.add(back);
    await().until(() -> webhook.counts(3).delivered() == 3);
    assertThat(back.taken())
        .containsExactly(
            "lake.db.events/2026-01-01T11:00:00Z/1",
            "lake.db.events/2026-01-01T11:00:00Z/2",
            "lake.db.events/2026-01-01T11:00:00Z/3");
  }

  @Test
  void whatFindsTheQueueFullIsCountedAndSaid() {
    Receiver receiver = Receiver.start();
    URI uri = receiver.uri();
    int port = receiver.port();
    receiver.close();
    Webhook webhook = webhook(uri, 1);
    webhook.offer(alert(1));
    await().until(() -> !log.isEmpty()); // it is being delivered, and no longer in the queue
    webhook.offer(alert(2));
    webhook.offer(alert(3));
    webhook.offer(alert(4));
    assertThat(webhook.counts(4).dropped()).isEqualTo(2);
    assertThat(log)
        .anySatisfy(
            line -> assertThat(line).contains("/4: too many alerts wait").contains("2 dropped"));
    Receiver back = Receiver.startAt(port);
    open.add(back);
    await().until(() -> webhook.counts(4), new AlertCounts(4, 2, 2, 0)::equals);
    assertThat(back.posted().stream().map(one -> one.json().path("droppedBefore").asInt()))
        .contains(2)
        .endsWith(0);
  }

  @Test
  void whatIsNotDeliveredAtTheEndIsSaid() {
    Receiver receiver = Receiver.start();
    URI uri = receiver.uri();
    receiver.close();
    Webhook webhook = Webhook.to(uri, PAUSE, 10, log::add);
    webhook.offer(alert(1));
    webhook.offer(alert(2));
    webhook.close();
    assertThat(webhook.counts(2)).isEqualTo(new AlertCounts(2, 0, 2, 0));
    assertThat(log).filteredOn(line -> line.startsWith("Dropped alert")).hasSize(2);
  }

  @Test
  void keyOfATableWithAnyNameIsDeliveredInAscii() {
    Receiver receiver = receiver();
    Webhook webhook = webhook(receiver.uri(), 10);
    String key = "lake.db.주문 50%/1";
    webhook.offer(
        new Alert(
            Alert.Kind.STALLED,
            "lake.db.주문 50%",
            key,
            "stands",
            Instant.parse("2026-01-01T13:00:00Z"),
            Map.of()));
    webhook.offer(alert(1));
    await().until(() -> webhook.counts(2).delivered() == 2);
    assertThat(receiver.taken())
        .containsExactly(
            "lake.db.%EC%A3%BC%EB%AC%B8%2050%25/1", "lake.db.events/2026-01-01T11:00:00Z/1");
    assertThat(receiver.posted().get(0).json().get("key").asText()).isEqualTo(key);
  }

  @Test
  void faultWithOneAlertEndsNoOtherDelivery() {
    Receiver receiver = receiver(500);
    Webhook webhook =
        Webhook.to(
            receiver.uri(),
            PAUSE,
            10,
            line -> {
              log.add(line);
              if (line.startsWith("Cannot deliver")) {
                throw new IllegalStateException("the log is full");
              }
            });
    open.add(webhook);
    webhook.offer(alert(1));
    webhook.offer(alert(2));
    await().until(() -> webhook.counts(2), new AlertCounts(2, 1, 1, 0)::equals);
    assertThat(log).anySatisfy(line -> assertThat(line).contains("/1: it cannot be sent"));
  }

  @Test
  void alertThatIsInFlightAtTheEndIsCountedAndSaid() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      URI uri = URI.create("http://127.0.0.1:" + silent.getLocalPort() + "/alerts");
      Webhook webhook = Webhook.to(uri, PAUSE, 10, log::add);
      webhook.offer(alert(1));
      webhook.offer(alert(2));
      silent.accept();
      webhook.close();
      assertThat(webhook.counts(2)).isEqualTo(new AlertCounts(2, 0, 2, 0));
      assertThat(log).filteredOn(line -> line.startsWith("Dropped alert")).hasSize(2);
    }
  }
}
