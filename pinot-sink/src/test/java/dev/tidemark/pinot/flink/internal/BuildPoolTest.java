package dev.tidemark.pinot.flink.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class BuildPoolTest {
  @Test
  void oneMoreThanAllowedWaits() throws Exception {
    try (BuildPool pool = new BuildPool(2, "builder")) {
      CountDownLatch first = new CountDownLatch(1);
      CountDownLatch second = new CountDownLatch(1);
      Future<String> one = pool.submit(() -> waitFor(first, "one"));
      Future<String> two = pool.submit(() -> waitFor(second, "two"));
      assertThat(pool.inFlight()).isEqualTo(2);
      AtomicReference<Future<String>> third = new AtomicReference<>();
      Thread bringing = new Thread(() -> third.set(submit(pool)));
      bringing.start();
      await().until(() -> bringing.getState() == Thread.State.WAITING);
      assertThat(third).hasValue(null);
      first.countDown();
      bringing.join();
      assertThat(BuildPool.await(Objects.requireNonNull(third.get()))).isEqualTo("three");
      second.countDown();
      assertThat(BuildPool.await(one) + BuildPool.await(two)).isEqualTo("onetwo");
    }
  }

  @Test
  void whoWaitsCanBeInterrupted() throws Exception {
    try (BuildPool pool = new BuildPool(1, "builder")) {
      pool.submit(() -> waitFor(new CountDownLatch(1), "never"));
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread bringing =
          new Thread(
              () -> {
                try {
                  pool.submit(() -> "three");
                } catch (InterruptedException e) {
                  thrown.set(e);
                }
              });
      bringing.start();
      await().until(() -> bringing.getState() == Thread.State.WAITING);
      bringing.interrupt();
      bringing.join();
      assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    }
  }

  @Test
  void aFailureReachesWhoAwaitsAndFreesTheRoom() throws Exception {
    try (BuildPool pool = new BuildPool(1, "builder")) {
      Future<String> failing =
          pool.submit(
              () -> {
                throw new IOException("no space left");
              });
      assertThatThrownBy(() -> BuildPool.await(failing))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no space left");
      assertThat(BuildPool.await(pool.submit(() -> "next"))).isEqualTo("next");
    }
  }

  private static String waitFor(CountDownLatch latch, String result) throws InterruptedException {
    latch.await();
    return result;
  }

  private static Future<String> submit(BuildPool pool) {
    try {
      return pool.submit(() -> "three");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
