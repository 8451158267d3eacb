package dev.tidemark.pinot.controller;

import java.io.Serializable;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How Pinot is reached: the controller, and through it the brokers. Made by {@link #builder};
 * immutable. A job graph carries it; {@code toString} shows no secret.
 */
public final class ControllerSettings implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String url;
  private final PinotAuth auth;
  private final PinotTls tls;
  private final Duration connectTimeout;
  private final Duration requestTimeout;
  private final Duration uploadTimeout;
  private final BackOff backOff;

  @SuppressWarnings("serial")
  private final ArrayList<String> brokerUrls;

  private ControllerSettings(Builder builder) {
    this.url = builder.url;
    this.auth = builder.auth;
    this.tls = builder.tls;
    this.connectTimeout = builder.connectTimeout;
    this.requestTimeout = builder.requestTimeout;
    this.uploadTimeout = builder.uploadTimeout;
    this.backOff = builder.backOff;
    this.brokerUrls = new ArrayList<>(builder.brokerUrls);
  }

  /**
   * Starts with the defaults.
   *
   * @param controllerUrl such as {@code http://127.0.0.1:9000} or {@code
   *     https://gateway.example.com/pinot}
   * @throws IllegalArgumentException if it is no http or https URL
   */
  public static Builder builder(String controllerUrl) {
    return new Builder(controllerUrl);
  }

  /** The defaults for a controller. */
  public static ControllerSettings of(String controllerUrl) {
    return builder(controllerUrl).build();
  }

  /** The controller's URL, without a slash at its end. */
  public String url() {
    return url;
  }

  PinotAuth auth() {
    return auth;
  }

  PinotTls tls() {
    return tls;
  }

  Duration connectTimeout() {
    return connectTimeout;
  }

  Duration requestTimeout() {
    return requestTimeout;
  }

  Duration uploadTimeout() {
    return uploadTimeout;
  }

  BackOff backOff() {
    return backOff;
  }

  /** The brokers to ask; empty for those that the controller names. */
  List<String> brokerUrls() {
    return brokerUrls;
  }

  @Override
  public String toString() {
    return url + " (" + auth + ", " + tls + ")";
  }

  /** Sets what differs from the defaults. Not thread-safe. */
  public static final class Builder {
    private final String url;
    private PinotAuth auth = PinotAuth.none();
    private PinotTls tls = PinotTls.ofJvm();
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration requestTimeout = Duration.ofSeconds(60);
    private Duration uploadTimeout = Duration.ofMinutes(5);
    private BackOff backOff = BackOff.DEFAULT;
    private List<String> brokerUrls = List.of();

    private Builder(String url) {
      this.url = checkedUrl("controller", url);
    }

    /** Who we are; nobody by default. Brokers get the same header. */
    public Builder auth(PinotAuth newAuth) {
      this.auth = Objects.requireNonNull(newAuth, "auth is null");
      return this;
    }

    /** Whom to trust; what the JVM trusts by default. */
    public Builder tls(PinotTls newTls) {
      this.tls = Objects.requireNonNull(newTls, "tls is null");
      return this;
    }

    /** How long a connection may take; 10 seconds by default. */
    public Builder connectTimeout(Duration timeout) {
      this.connectTimeout = positive("connect timeout", timeout);
      return this;
    }

    /** How long an answer may take; 60 seconds by default. */
    public Builder requestTimeout(Duration timeout) {
      this.requestTimeout = positive("request timeout", timeout);
      return this;
    }

    /** How long an upload, or the end of a replacement, may take; 5 minutes by default. */
    public Builder uploadTimeout(Duration timeout) {
      this.uploadTimeout = positive("upload timeout", timeout);
      return this;
    }

    /** How failures are tried again; {@link BackOff#DEFAULT} by default. */
    public Builder backOff(BackOff newBackOff) {
      this.backOff = Objects.requireNonNull(newBackOff, "backOff is null");
      return this;
    }

    /**
     * The brokers to ask whether rows are visible, where the names that the controller knows them
     * by do not resolve here. By default those that the controller names.
     */
    public Builder brokerUrls(List<String> urls) {
      this.brokerUrls = urls.stream().map(broker -> checkedUrl("broker", broker)).toList();
      return this;
    }

    /** The settings. */
    public ControllerSettings build() {
      return new ControllerSettings(this);
    }

    private static Duration positive(String what, Duration timeout) {
      if (timeout.isZero() || timeout.isNegative()) {
        throw new IllegalArgumentException(
            "Invalid " + what + ": " + timeout + " (expected: more than zero)");
      }
      return timeout;
    }

    private static String checkedUrl(String what, String url) {
      URI uri;
      try {
        uri = URI.create(url.strip());
      } catch (IllegalArgumentException e) {
        throw invalid(what, url, e);
      }
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      boolean http = scheme.equals("http") || scheme.equals("https");
      if (!http || uri.getHost() == null || uri.getQuery() != null || uri.getUserInfo() != null) {
        throw invalid(what, uri.getUserInfo() == null ? url : "(with user info)", null);
      }
      return uri.toString().replaceAll("/+$", "");
    }

    private static IllegalArgumentException invalid(
        String what, String url, @Nullable Throwable cause) {
      return new IllegalArgumentException(
          "Invalid "
              + what
              + " URL: "
              + url
              + " (expected: http or https, a host, perhaps a path; authentication apart)",
          cause);
    }
  }
}
