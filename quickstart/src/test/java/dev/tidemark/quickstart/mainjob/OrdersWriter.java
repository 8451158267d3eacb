package dev.tidemark.quickstart.mainjob;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the table of orders: all the time once started, until it is stopped. Transactions of
 * one to four changes, every few milliseconds, in a thread of its own.
 */
final class OrdersWriter implements AutoCloseable {
  private static final long PAUSE_MILLIS = 4;
  private static final BigInteger MAX_UNSIGNED =
      BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

  private final Connection connection;
  private final Random random;
  private final List<Long> ids = new ArrayList<>();
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong inserts = new AtomicLong();
  private final AtomicLong updates = new AtomicLong();
  private final AtomicLong deletes = new AtomicLong();
  private final AtomicLong renumbered = new AtomicLong();
  private @Nullable ScheduledFuture<?> writing;
  private long nextId = 1;

  /** What was written so far. */
  record Counts(long inserts, long updates, long deletes, long renumbered) {
    Counts since(Counts earlier) {
      return new Counts(
          inserts - earlier.inserts,
          updates - earlier.updates,
          deletes - earlier.deletes,
          renumbered - earlier.renumbered);
    }
  }

  OrdersWriter(Connection connection, long seed) throws SQLException {
    this.connection = connection;
    this.random = new Random(seed);
    connection.setAutoCommit(false);
  }

  /** Inserts rows in one transaction, in the calling thread, before {@link #start}. */
  void insert(int rows) throws SQLException {
    for (int i = 0; i < rows; i++) {
      insert();
    }
    connection.commit();
  }

  void start() {
    writing =
        thread.scheduleWithFixedDelay(this::transaction, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  Counts counts() {
    return new Counts(inserts.get(), updates.get(), deletes.get(), renumbered.get());
  }

  /** Ends the writing; the transaction under way is committed. Fails if one failed. */
  void stop() throws Exception {
    ScheduledFuture<?> task = writing;
    if (task != null) {
      thread.shutdown();
      if (!thread.awaitTermination(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("The writer does not end");
      }
      if (!task.isCancelled()) {
        task.get();
      }
      writing = null;
    }
  }

  private void transaction() {
    try {
      int changes = 1 + random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        change();
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot write to the table of orders", e);
    }
  }

  private void change() throws SQLException {
    int kind = ids.isEmpty() ? 0 : random.nextInt(20);
    if (kind < 5) {
      insert();
    } else if (kind < 15) {
      update(ids.get(random.nextInt(ids.size())));
    } else if (kind < 19) {
      delete(ids.remove(random.nextInt(ids.size())));
    } else {
      renumber(ids.remove(random.nextInt(ids.size())));
    }
  }

  private void insert() throws SQLException {
    long id = nextId++;
    execute(
        "INSERT INTO shop.orders (id, state, note, amount, units, serial, gift, weight, due, placed, photo) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        "new",
        random.nextInt(3) == 0 ? null : "Grüße 'n\" \\ 🦐 " + id,
        BigDecimal.valueOf(random.nextLong(-900_000_000_000L, 900_000_000_000L), 3),
        random.nextInt() & 0xFFFF_FFFFL,
        new BigDecimal(MAX_UNSIGNED.subtract(BigInteger.valueOf(random.nextInt(1000)))),
        random.nextInt(3),
        random.nextInt(4) == 0 ? null : random.nextGaussian() * 1e6,
        random.nextInt(4) == 0 ? null : LocalDate.ofEpochDay(random.nextInt(40_000)),
        // An hour that New York skips.
        LocalDateTime.of(2026, 3, 8, 2, random.nextInt(60), 30, random.nextInt(1_000_000) * 1000),
        random.nextInt(4) == 0 ? null : new byte[] {0, (byte) random.nextInt(), -1});
    ids.add(id);
    inserts.incrementAndGet();
  }

  private void update(long id) throws SQLException {
    execute(
        "UPDATE shop.orders SET state = ?, amount = amount + ?, note = ? WHERE id = ?",
        "s" + random.nextInt(1000),
        new BigDecimal("0.001"),
        random.nextBoolean() ? null : " padded ",
        id);
    updates.incrementAndGet();
  }

  private void delete(long id) throws SQLException {
    execute("DELETE FROM shop.orders WHERE id = ?", id);
    deletes.incrementAndGet();
  }

  private void renumber(long id) throws SQLException {
    long newId = nextId++;
    execute("UPDATE shop.orders SET id = ? WHERE id = ?", newId, id);
    ids.add(newId);
    renumbered.incrementAndGet();
  }

  private void execute(String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      if (statement.executeUpdate() != 1) {
        throw new SQLException("not one row: " + sql);
      }
    }
  }

  @Override
  public void close() throws Exception {
    thread.shutdownNow();
    connection.close();
  }
}
