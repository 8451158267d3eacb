package dev.tidemark.quickstart.embedded.pinot;

import org.jspecify.annotations.Nullable;

/**
 * One Pinot for all tests of a JVM: the one that {@link RemotePinot#configured} finds, else an
 * embedded one with two servers that is started when it is first asked for and ends with the JVM.
 * Whoever uses it picks table names that nobody else has.
 */
public final class SharedPinot {
  private static final int SERVERS = 2;

  private static @Nullable PinotCluster cluster;

  private SharedPinot() {}

  /** The cluster; nobody closes it. */
  public static synchronized PinotCluster get() {
    if (cluster == null) {
      cluster =
          RemotePinot.configured()
              .<PinotCluster>map(remote -> remote)
              .orElseGet(SharedPinot::embedded);
    }
    return cluster;
  }

  private static EmbeddedPinot embedded() {
    return EmbeddedPinot.builder().servers(SERVERS).progress(System.err::println).start();
  }
}
