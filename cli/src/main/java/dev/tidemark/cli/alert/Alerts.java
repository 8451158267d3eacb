package dev.tidemark.cli.alert;

import dev.tidemark.finalization.sensor.TableFinality;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The alerts of all tables: each is logged, and handed to the webhook if there is one. A table is
 * observed by one thread; different tables by different threads.
 */
public final class Alerts implements AutoCloseable {
  private final @Nullable AlertOptions options;
  private final Clock clock;
  private final Consumer<String> log;
  private final @Nullable Webhook webhook;
  private final Map<String, AlertRules> rules = new ConcurrentHashMap<>();
  private final AtomicLong raised = new AtomicLong();

  private Alerts(@Nullable AlertOptions options, Clock clock, Consumer<String> log) {
    this.options = options;
    this.clock = clock;
    this.log = log;
    this.webhook =
        options == null || options.webhook() == null
            ? null
            : Webhook.to(options.webhook(), options.firstPause(), options.capacity(), log);
  }

  /** No alerts. */
  public static Alerts none() {
    return new Alerts(null, Clock.systemUTC(), line -> {});
  }

  /**
   * Alerts by these options.
   *
   * @param log takes lines for people; any thread
   */
  public static Alerts of(AlertOptions options, Clock clock, Consumer<String> log) {
    return new Alerts(options, clock, log);
  }

  /**
   * Looks at what a poll read.
   *
   * @param movedAt the commit time of the commit that moved the watermark; null if not known
   */
  public void observe(String table, TableFinality finality, @Nullable Instant movedAt) {
    AlertOptions chosen = options;
    if (chosen == null) {
      return;
    }
    List<Alert> alerts =
        rules
            .computeIfAbsent(table, name -> new AlertRules(name, chosen.stallAfter()))
            .observe(finality, movedAt, clock.instant().truncatedTo(ChronoUnit.MILLIS));
    alerts.forEach(this::raise);
  }

  /** What became of alerts so far. */
  public AlertCounts counts() {
    return webhook == null ? new AlertCounts(raised.get(), 0, 0, 0) : webhook.counts(raised.get());
  }

  private void raise(Alert alert) {
    raised.incrementAndGet();
    log.accept(alert.at() + " " + alert.kind() + " " + alert.text());
    if (webhook != null) {
      webhook.offer(alert);
    }
  }

  @Override
  public void close() {
    if (webhook != null) {
      webhook.close();
    }
  }
}
