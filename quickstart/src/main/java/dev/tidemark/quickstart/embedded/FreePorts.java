package dev.tidemark.quickstart.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds ports of 127.0.0.1 that nobody listens on. A port may be taken between the answer and its
 * use, so whoever uses it must be ready to try another one.
 */
public final class FreePorts {
  private FreePorts() {}

  public static int one() {
    return several(1).get(0);
  }

  /** Distinct ports: all are held open until the last one is found. */
  public static List<Integer> several(int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      List<Integer> ports = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        held.add(socket);
        ports.add(socket.getLocalPort());
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot find " + count + " free ports on 127.0.0.1", e);
    } finally {
      held.forEach(FreePorts::release);
    }
  }

  private static void release(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot release port " + socket.getLocalPort(), e);
    }
  }
}
