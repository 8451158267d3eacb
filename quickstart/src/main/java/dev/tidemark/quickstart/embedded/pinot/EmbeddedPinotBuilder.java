package dev.tidemark.quickstart.embedded.pinot;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Settings of an {@link EmbeddedPinot}; none is needed. */
public final class EmbeddedPinotBuilder {
  private int servers = 1;
  private @Nullable Path directory;
  private Optional<BasicAuth> auth = Optional.empty();
  private Consumer<String> progress = line -> {};

  EmbeddedPinotBuilder() {}

  /** How many servers; 1 by default. */
  public EmbeddedPinotBuilder servers(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("servers: " + count + " (expected: >= 1)");
    }
    this.servers = count;
    return this;
  }

  /**
   * Where all data goes, the deep store too ({@code deep-store} in it); it must be empty or not
   * exist, and stays when the cluster is closed. By default a temporary one that is removed then.
   */
  public EmbeddedPinotBuilder directory(Path path) {
    this.directory = path;
    return this;
  }

  /** The only user whom controller and broker let in; by default they let in everybody. */
  public EmbeddedPinotBuilder basicAuth(String user, String password) {
    this.auth = Optional.of(new BasicAuth(user, password));
    return this;
  }

  /** Gets the line that says what is up and where; by default nobody does. */
  public EmbeddedPinotBuilder progress(Consumer<String> lines) {
    this.progress = lines;
    return this;
  }

  /**
   * Starts the cluster and waits until it takes tables.
   *
   * @throws IllegalStateException if it does not start; nothing is left running
   */
  public EmbeddedPinot start() {
    return EmbeddedPinot.start(servers, directory, auth, progress);
  }
}
