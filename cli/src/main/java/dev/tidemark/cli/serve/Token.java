package dev.tidemark.cli.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** The bearer token that clients must bring. Shows nothing of itself. */
public final class Token {
  private static final String SCHEME = "Bearer ";
  private static final int SHORTEST = 16;

  private final byte[] digest;

  private Token(String token) {
    this.digest = Digest.sha256(token.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A token.
   *
   * @throws IllegalArgumentException if it is short enough to be guessed
   */
  public static Token of(String token) {
    if (token.length() < SHORTEST || !token.equals(token.strip())) {
      throw new IllegalArgumentException(
          "Invalid token of "
              + token.length()
              + " characters (expected: at least "
              + SHORTEST
              + ", without blanks around them). Make one with: openssl rand -hex 24");
    }
    return new Token(token);
  }

  /**
   * The first line of a file.
   *
   * @throws IllegalArgumentException if it cannot be read, or holds no token
   */
  public static Token read(Path file) {
    try {
      return of(Files.readString(file).lines().findFirst().orElse(""));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Cannot read the token from " + file + " (expected: a readable file)", e);
    }
  }

  /** Whether a request brings it; takes as long whatever the request brings. */
  boolean isBroughtBy(@Nullable String authorization) {
    String header = authorization == null ? "" : authorization;
    boolean isBearer = header.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    String brought = isBearer ? header.substring(SCHEME.length()).strip() : "";
    byte[] other = Digest.sha256(brought.getBytes(StandardCharsets.UTF_8));
    return MessageDigest.isEqual(digest, other) && isBearer;
  }
}
