package dev.tidemark.cli.serve;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** A request by hand, for the header that Java's client keeps to itself. */
final class RawHttp {
  private RawHttp() {}

  /** The status of the page, asked under a host name. */
  static int status(URI server, String host) throws IOException {
    try (Socket socket = new Socket(server.getHost(), server.getPort());
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      socket
          .getOutputStream()
          .write(
              ("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      return Integer.parseInt(Objects.requireNonNull(reader.readLine()).split(" ", -1)[1]);
    }
  }
}
