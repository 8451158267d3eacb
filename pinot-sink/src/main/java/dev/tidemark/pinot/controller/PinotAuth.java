package dev.tidemark.pinot.controller;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the {@code Authorization} header comes from. It is asked at each request, so a token that
 * is rotated while a long job runs is taken up by itself. {@code toString} never shows a secret.
 * Immutable; thread-safe if the supplier is.
 */
public abstract class PinotAuth implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String BEARER = "Bearer ";

  private PinotAuth() {}

  /** A token that is asked for again at each request. A job graph carries it. */
  @FunctionalInterface
  public interface TokenSupplier extends Supplier<String>, Serializable {}

  /** No header. */
  public static PinotAuth none() {
    return new None();
  }

  /** A user and a password. */
  public static PinotAuth basic(String user, String password) {
    Objects.requireNonNull(user, "user is null");
    Objects.requireNonNull(password, "password is null");
    if (user.indexOf(':') >= 0) {
      throw new IllegalArgumentException("Invalid user: \"" + user + "\" (expected: no colon)");
    }
    String pair = user + ":" + password;
    return new Fixed(
        "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
  }

  /** A token that never changes. */
  public static PinotAuth bearer(String token) {
    return new Fixed(BEARER + Objects.requireNonNull(token, "token is null").strip());
  }

  /** A token that is read from a file at each request, as a secret that is mounted into a pod. */
  public static PinotAuth bearerFile(Path file) {
    return new FromFile(file.toString());
  }

  /** A token that is asked for at each request. */
  public static PinotAuth bearer(TokenSupplier tokens) {
    return new Supplied(Objects.requireNonNull(tokens, "tokens is null"));
  }

  /**
   * The header's value now; null for none.
   *
   * @throws UncheckedIOException if a file cannot be read
   */
  abstract @Nullable String header();

  private static final class None extends PinotAuth {
    private static final long serialVersionUID = 1L;

    @Override
    @Nullable String header() {
      return null;
    }

    @Override
    public String toString() {
      return "no authentication";
    }
  }

  private static final class Fixed extends PinotAuth {
    private static final long serialVersionUID = 1L;
    private final String header;

    Fixed(String header) {
      this.header = header;
    }

    @Override
    String header() {
      return header;
    }

    @Override
    public String toString() {
      return header.startsWith(BEARER) ? "bearer token" : "basic authentication";
    }
  }

  private static final class FromFile extends PinotAuth {
    private static final long serialVersionUID = 1L;
    private final String file;

    FromFile(String file) {
      this.file = file;
    }

    @Override
    String header() {
      try {
        return BEARER + Files.readString(Path.of(file)).strip();
      } catch (IOException e) {
        throw new UncheckedIOException(
            "Cannot read the bearer token from " + file + " (expected: a readable file)", e);
      }
    }

    @Override
    public String toString() {
      return "bearer token of file " + file;
    }
  }

  private static final class Supplied extends PinotAuth {
    private static final long serialVersionUID = 1L;
    private final TokenSupplier tokens;

    Supplied(TokenSupplier tokens) {
      this.tokens = tokens;
    }

    @Override
    String header() {
      return BEARER + tokens.get().strip();
    }

    @Override
    public String toString() {
      return "supplied bearer token";
    }
  }
}
