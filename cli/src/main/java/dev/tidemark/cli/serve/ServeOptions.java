package dev.tidemark.cli.serve;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How to serve.
 *
 * @param listen where; port 0 for any free one
 * @param pollInterval how long between two polls of a table
 * @param maxWaiting how many clients may wait for another answer at a time
 * @param token what clients must bring; null for nothing
 */
public record ServeOptions(
    InetSocketAddress listen, Duration pollInterval, int maxWaiting, @Nullable Token token) {
  /** Nobody but this machine, a poll every five seconds, a thousand waiting clients. */
  public static final ServeOptions DEFAULT =
      new ServeOptions(
          new InetSocketAddress("127.0.0.1", 8740), Duration.ofSeconds(5), 1_000, null);

  public ServeOptions {
    if (listen.isUnresolved()) {
      throw new IllegalArgumentException(
          "Cannot listen on " + listen + " (expected: HOST:PORT of this machine)");
    }
    if (pollInterval.isNegative() || pollInterval.isZero()) {
      throw new IllegalArgumentException(
          "Invalid poll interval: " + pollInterval + " (expected: longer than nothing)");
    }
    if (maxWaiting < 1) {
      throw new IllegalArgumentException(
          "Invalid number of waiting clients: " + maxWaiting + " (expected: at least 1)");
    }
  }

  /** Reads {@code HOST:PORT}; an IPv6 host in brackets. */
  public static InetSocketAddress parseListen(String text) {
    int colon = text.lastIndexOf(':');
    String port = text.substring(colon + 1);
    if (colon < 1 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
      throw new IllegalArgumentException(
          "Invalid address: \"" + text + "\" (expected: HOST:PORT, such as 127.0.0.1:8740)");
    }
    return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(port));
  }
}
