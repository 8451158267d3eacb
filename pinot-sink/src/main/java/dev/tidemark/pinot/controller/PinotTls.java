package dev.tidemark.pinot.controller;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of one connection to Pinot: whom to trust, and who we are. Host names are always
 * checked. The stores are read where the client is made, on each machine of its own. Immutable;
 * {@code toString} never shows a password.
 */
public final class PinotTls implements Serializable {
  private static final long serialVersionUID = 1L;

  private final @Nullable Store trust;
  private final @Nullable Store identity;

  private record Store(String file, String type, String password) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  private PinotTls(@Nullable Store trust, @Nullable Store identity) {
    this.trust = trust;
    this.identity = identity;
  }

  /** What the JVM trusts. */
  public static PinotTls ofJvm() {
    return new PinotTls(null, null);
  }

  /**
   * Trusts the certificates of a store alone.
   *
   * @param type such as {@code PKCS12} or {@code JKS}
   */
  public PinotTls trusting(Path store, String type, String password) {
    return new PinotTls(store(store, type, password), identity);
  }

  /** Shows a certificate of its own to a server that asks for one. */
  public PinotTls identifiedBy(Path store, String type, String password) {
    return new PinotTls(trust, store(store, type, password));
  }

  /**
   * The context for a client.
   *
   * @throws IllegalArgumentException if a store cannot be read
   */
  SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers(), trustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("Cannot set up TLS with " + this, e);
    }
  }

  private KeyManager @Nullable [] keyManagers() throws GeneralSecurityException {
    if (identity == null) {
      return null;
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(load(identity), identity.password().toCharArray());
    return factory.getKeyManagers();
  }

  private TrustManager @Nullable [] trustManagers() throws GeneralSecurityException {
    if (trust == null) {
      return null;
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(load(trust));
    return factory.getTrustManagers();
  }

  private static KeyStore load(Store store) throws GeneralSecurityException {
    try (InputStream in = Files.newInputStream(Path.of(store.file()))) {
      KeyStore loaded = KeyStore.getInstance(store.type());
      loaded.load(in, store.password().toCharArray());
      return loaded;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Cannot read store "
              + store.file()
              + " (expected: a readable "
              + store.type()
              + " store and its password)",
          e);
    }
  }

  private static Store store(Path file, String type, String password) {
    return new Store(
        file.toString(),
        Objects.requireNonNull(type, "type is null"),
        Objects.requireNonNull(password, "password is null"));
  }

  @Override
  public String toString() {
    return "trust store "
        + (trust == null ? "of the JVM" : trust.file())
        + (identity == null ? "" : ", identity of " + identity.file());
  }
}
