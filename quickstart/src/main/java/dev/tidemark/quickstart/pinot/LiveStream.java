package dev.tidemark.quickstart.pinot;

import dev.tidemark.quickstart.flights.FlightChange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends changes to a topic from a thread of its own, keyed by the flight's id as text and spread by
 * Kafka's own partitioner: slowly at first, the rest at once when it is told to.
 */
final class LiveStream {
  private static final int AT_A_TIME = 20;
  private static final long PAUSE_MILLIS = 50;

  private final List<FlightChange> changes;
  private final String topic;
  private final KafkaProducer<String, String> producer;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private volatile boolean hurried;
  private volatile int sent;

  private LiveStream(List<FlightChange> changes, String bootstrapServers, String topic) {
    this.changes = changes;
    this.topic = topic;
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers),
            new StringSerializer(),
            new StringSerializer());
  }

  /** Starts to send. */
  static LiveStream start(List<FlightChange> changes, String bootstrapServers, String topic) {
    LiveStream stream = new LiveStream(changes, bootstrapServers, topic);
    Thread thread = new Thread(stream::send, "live-stream");
    thread.setDaemon(true);
    thread.start();
    return stream;
  }

  private void send() {
    try (producer) {
      for (FlightChange change : changes) {
        String key = Integer.toString(change.flight().id());
        producer.send(new ProducerRecord<>(topic, key, ChangeColumns.json(change)));
        sent++;
        if (!hurried && sent % AT_A_TIME == 0) {
          TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
      }
      producer.flush();
      end.complete(null);
    } catch (InterruptedException | RuntimeException e) {
      end.completeExceptionally(e);
    }
  }

  int sent() {
    return sent;
  }

  /** Sends what is left without a pause, and comes back when Kafka has it. */
  void finish() throws InterruptedException, ExecutionException {
    hurried = true;
    end.get();
  }
}
