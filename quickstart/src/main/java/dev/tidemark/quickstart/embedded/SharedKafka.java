package dev.tidemark.quickstart.embedded;

import org.jspecify.annotations.Nullable;

/**
 * One Kafka for all tests of a JVM, started when it is first asked for. It ends with the JVM and
 * not before: a Pinot table that still consumes a topic of a broker that is gone slows down all
 * others. Whoever uses it picks topic names that nobody else has.
 */
public final class SharedKafka {
  private static @Nullable EmbeddedKafka kafka;

  private SharedKafka() {}

  /** The broker; nobody closes it. */
  public static synchronized EmbeddedKafka get() {
    EmbeddedKafka running = kafka;
    if (running == null) {
      running = EmbeddedKafka.start();
      kafka = running;
    }
    return running;
  }
}
