package dev.tidemark.quickstart.pinot;

import dev.tidemark.quickstart.embedded.pinot.EmbeddedPinot;
import dev.tidemark.quickstart.embedded.pinot.PinotCluster;
import dev.tidemark.quickstart.embedded.pinot.RemotePinot;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The Pinot that a program works with. */
public final class Pinots {
  private static @Nullable PinotCluster own;

  private Pinots() {}

  /**
   * The one that {@link RemotePinot#configured} finds, else one of the program's own in this JVM.
   *
   * @param progress gets a line that says where it is
   */
  public static synchronized PinotCluster start(Consumer<String> progress) {
    RemotePinot remote = RemotePinot.configured().orElse(null);
    if (remote == null) {
      PinotCluster started = EmbeddedPinot.builder().progress(progress).start();
      own = started;
      return started;
    }
    progress.accept(
        "using the Pinot at %s, broker %s".formatted(remote.controllerUrl(), remote.brokerUrl()));
    return remote;
  }

  /** Whether a Pinot ends with the program, and all its tables with it. */
  static synchronized boolean endsWithProgram(PinotCluster pinot) {
    return pinot == own;
  }
}
