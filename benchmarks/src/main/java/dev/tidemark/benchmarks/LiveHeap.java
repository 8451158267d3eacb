package dev.tidemark.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

/** How much heap is reachable, by collecting what is not. */
final class LiveHeap {
  private LiveHeap() {}

  /** Bytes that are reachable now. */
  static long now() {
    System.gc();
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        bytes += pool.getCollectionUsage().getUsed();
      }
    }
    return bytes;
  }

  /** The most bytes that were reachable while this ran, looked at as often as can be. */
  static long mostDuring(Callable<?> work) throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    long[] most = new long[1];
    Thread watch =
        new Thread(
            () -> {
              while (!isDone.get()) {
                most[0] = Math.max(most[0], now());
              }
            },
            "live-heap");
    watch.start();
    try {
      work.call();
    } finally {
      isDone.set(true);
      watch.join();
    }
    return most[0];
  }
}
