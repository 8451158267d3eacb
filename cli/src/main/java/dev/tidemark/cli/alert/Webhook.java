package dev.tidemark.cli.alert;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Delivers alerts one after the other, in order, by POST. What fails for the moment (no connection,
 * 408, 425, 429, 5xx) is tried again until it is taken, waiting twice as long each time, at most a
 * minute; what is refused otherwise, or cannot be sent at all, is dropped. New alerts wait in a
 * bounded queue; what finds it full is dropped. Every drop is counted and logged, and the next
 * alert that is delivered says how many there were.
 */
final class Webhook implements AutoCloseable {
  /** The header that is the same for the same alert, however often it is sent. */
  static final String IDEMPOTENCY_KEY = "Idempotency-Key";

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
  private static final Duration LAST_MOMENT = Duration.ofSeconds(3);
  private static final Set<Integer> TRANSIENT = Set.of(408, 425, 429);
  private static final int SERVER_ERROR = 500;

  private final URI uri;
  private final Duration firstPause;
  private final Consumer<String> log;
  private final BlockingQueue<Alert> queue;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong unsaidDrops = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();
  private final Thread thread;

  private Webhook(URI uri, Duration firstPause, int capacity, Consumer<String> log) {
    this.uri = uri;
    this.firstPause = firstPause;
    this.log = log;
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.thread = new Thread(this::run, "webhook");
    this.thread.setDaemon(true);
  }

  /** A webhook that delivers in a thread of its own. */
  static Webhook to(URI uri, Duration firstPause, int capacity, Consumer<String> log) {
    Webhook webhook = new Webhook(uri, firstPause, capacity, log);
    webhook.thread.start();
    return webhook;
  }

  /** Takes an alert, or drops it if too many wait. Never blocks. */
  void offer(Alert alert) {
    waiting.incrementAndGet();
    if (!queue.offer(alert)) {
      drop(alert, "too many alerts wait already");
    }
  }

  AlertCounts counts(long raised) {
    return new AlertCounts(raised, delivered.get(), dropped.get(), waiting.get());
  }

  /** Tries a last time to deliver what waits, for a moment, and says what was not delivered. */
  @Override
  public void close() {
    closing.countDown();
    joinFor(LAST_MOMENT);
    thread.interrupt();
    joinFor(LAST_MOMENT);
    Alert alert = queue.poll();
    while (alert != null) {
      drop(alert, "the server ends");
      alert = queue.poll();
    }
  }

  private void joinFor(Duration moment) {
    try {
      thread.join(moment.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (closing.getCount() > 0 || !queue.isEmpty()) {
        Alert alert = queue.poll(100, TimeUnit.MILLISECONDS);
        if (alert != null) {
          deliverOrDrop(alert);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever goes wrong with one alert, the next is delivered, and none is lost in silence. */
  private void deliverOrDrop(Alert alert) throws InterruptedException {
    try {
      deliver(alert);
    } catch (InterruptedException e) {
      drop(alert, "the server ends");
      throw e;
    } catch (RuntimeException | Error e) {
      drop(alert, "it cannot be sent: " + e);
    }
  }

  private void deliver(Alert alert) throws InterruptedException {
    Duration pause = firstPause;
    while (true) {
      String failure = attempt(alert);
      if (failure == null) {
        return;
      }
      if (closing.getCount() == 0) {
        drop(alert, "the server ends, and " + failure);
        return;
      }
      log.accept(
          "Cannot deliver alert " + alert.key() + " (" + failure + "); next try in " + pause);
      if (!closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
      }
    }
  }

  /** Null if there is no more to do: delivered, or refused for good. */
  private @Nullable String attempt(Alert alert) throws InterruptedException {
    long drops = unsaidDrops.get();
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .header(IDEMPOTENCY_KEY, ascii(alert.key()))
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    alert.json(drops).toString(), StandardCharsets.UTF_8))
            .build();
    try {
      int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      if (status / 100 == 2) {
        delivered.incrementAndGet();
        waiting.decrementAndGet();
        unsaidDrops.addAndGet(-drops);
        return null;
      }
      if (status >= SERVER_ERROR || TRANSIENT.contains(status)) {
        return "the receiver answered " + status;
      }
      drop(alert, "the receiver refused it with " + status);
      return null;
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Headers are ASCII: what is not printable ASCII, and the percent sign, is percent-encoded. */
  static String ascii(String key) {
    StringBuilder text = new StringBuilder();
    for (byte octet : key.getBytes(StandardCharsets.UTF_8)) {
      if (octet > ' ' && octet < 0x7f && octet != '%') {
        text.append((char) octet);
      } else {
        text.append(String.format(Locale.ROOT, "%%%02X", octet));
      }
    }
    return text.toString();
  }

  private void drop(Alert alert, String why) {
    waiting.decrementAndGet();
    unsaidDrops.incrementAndGet();
    long count = dropped.incrementAndGet();
    log.accept("Dropped alert " + alert.key() + ": " + why + " (" + count + " dropped so far)");
  }
}
