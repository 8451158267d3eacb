package dev.tidemark.cli.serve;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may ask what: only reading; with the token, where there is one; and, where there is none and
 * the server is for this machine alone, only under this machine's own names, so that no web site
 * that is open in somebody's browser can ask by a name that it lets point here.
 */
final class Guard {
  private static final Set<String> METHODS = Set.of("GET", "HEAD");
  private static final Set<String> OWN_NAMES =
      Set.of("localhost", "127.0.0.1", "[::1]", "::1", "0:0:0:0:0:0:0:1", "[0:0:0:0:0:0:0:1]");

  private final @Nullable Token token;
  private final boolean onlyOwnNames;

  Guard(@Nullable Token token, InetSocketAddress listen) {
    this.token = token;
    InetAddress address = listen.getAddress();
    this.onlyOwnNames = token == null && address != null && address.isLoopbackAddress();
  }

  /** Refuses methods that would change something, and foreign host names. */
  void checkMethodAndHost(String method, String host) {
    if (!METHODS.contains(method)) {
      throw new ProblemException(405, "Read-only", "Cannot " + method + " anything here")
          .expected("GET or HEAD; what changes a table is done by the command line")
          .header("Allow", "GET, HEAD");
    }
    if (onlyOwnNames && !OWN_NAMES.contains(host)) {
      throw new ProblemException(421, "Misdirected request", "Not served under the name " + host)
          .expected("localhost or 127.0.0.1; for other names, set a token");
    }
  }

  /** Whether the request brings the token, or needs none. */
  boolean knows(@Nullable String authorization) {
    return token == null || token.isBroughtBy(authorization);
  }

  /** Refuses a request without the token. */
  void checkToken(@Nullable String authorization) {
    if (!knows(authorization)) {
      throw new ProblemException(401, "Token needed", "The request brings no valid token")
          .expected("Authorization: Bearer TOKEN")
          .header("WWW-Authenticate", "Bearer realm=\"tidemark\"");
    }
  }
}
