package dev.tidemark.quickstart.program;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Two heavy parts that were started at the same time. Closing ends both.
 *
 * @param first the one
 * @param second the other
 */
public record SideBySide<A extends AutoCloseable, B extends AutoCloseable>(A first, B second)
    implements AutoCloseable {

  /**
   * Starts both and waits for both.
   *
   * @throws IllegalStateException if one does not start; the other one is closed then
   */
  public static <A extends AutoCloseable, B extends AutoCloseable> SideBySide<A, B> start(
      Supplier<A> first, Supplier<B> second) {
    CompletableFuture<A> one = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                one.complete(first.get());
              } catch (RuntimeException | Error e) {
                one.completeExceptionally(e);
              }
            },
            "starting");
    thread.start();
    B two;
    try {
      two = second.get();
    } catch (RuntimeException e) {
      one.thenAccept(SideBySide::closeQuietly).handle((v, t) -> null).join();
      throw e;
    }
    try {
      return new SideBySide<>(one.join(), two);
    } catch (CompletionException e) {
      closeQuietly(two);
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException("Cannot start both parts: " + cause.getMessage(), cause);
    }
  }

  private static void closeQuietly(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      System.err.println("Cannot close " + part.getClass().getSimpleName() + ": " + e);
    }
  }

  @Override
  public void close() {
    closeQuietly(first);
    closeQuietly(second);
  }
}
