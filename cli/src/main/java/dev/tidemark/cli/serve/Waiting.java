package dev.tidemark.cli.serve;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The clients that wait for another answer: at most so many, none of them holding a thread. Each is
 * answered exactly once: by a poll that changed its answer, by the end of its wait, or by the end
 * of the server. Thread-safe.
 */
final class Waiting implements AutoCloseable {
  /** One request that may have to wait. */
  interface Asking {
    /**
     * The reply as of now.
     *
     * @param isLast whether there is no more waiting
     * @return null to go on waiting; never null at last
     */
    @Nullable Reply ask(boolean isLast);
  }

  private final int most;
  private final Set<Client> clients = ConcurrentHashMap.newKeySet();
  private final AtomicInteger size = new AtomicInteger();
  private final ScheduledThreadPoolExecutor timer;
  private volatile boolean closed;

  Waiting(int most) {
    this.most = most;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "wait-ends");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  /** How many wait now. */
  int size() {
    return size.get();
  }

  /**
   * Has a request wait.
   *
   * @param answered is given the reply, on any thread
   * @throws ProblemException if too many wait already, or the server is stopping
   */
  void join(Asking asking, Duration wait, Consumer<Reply> answered) {
    if (size.incrementAndGet() > most) {
      size.decrementAndGet();
      throw new ProblemException(
              503, "Too many waiting clients", most + " clients wait for answers already")
          .expected("fewer waiting clients; try again, or ask without wait")
          .header("Retry-After", "5");
    }
    Client client = new Client(asking, answered);
    clients.add(client);
    try {
      timer.schedule(() -> client.settle(true), wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      client.settle(true);
      return;
    }
    // A poll between the first look and the registration would have missed this client.
    client.settle(closed);
  }

  /** Something was polled: answers those whose answer that changed. */
  void look() {
    clients.forEach(client -> client.settle(false));
  }

  /** Looks from time to time even if nothing was polled: time alone may change an answer. */
  void lookEvery(Duration period) {
    timer.scheduleWithFixedDelay(
        this::look, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Answers everybody with what there is. */
  @Override
  public void close() {
    closed = true;
    clients.forEach(client -> client.settle(true));
    timer.shutdownNow();
  }

  private final class Client {
    private final Asking asking;
    private final Consumer<Reply> answered;
    private final AtomicBoolean settled = new AtomicBoolean();

    Client(Asking asking, Consumer<Reply> answered) {
      this.asking = asking;
      this.answered = answered;
    }

    void settle(boolean isLast) {
      if (settled.get()) {
        return;
      }
      Reply reply = asking.ask(isLast);
      if (reply != null && settled.compareAndSet(false, true)) {
        clients.remove(this);
        size.decrementAndGet();
        answered.accept(reply);
      }
    }
  }
}
