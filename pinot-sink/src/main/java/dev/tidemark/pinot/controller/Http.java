package dev.tidemark.pinot.controller;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests, with authorization read anew for each, and tries them again where that can help.
 * HTTP/1.1: Pinot's server leaves an upgrade to HTTP/2 unanswered. Thread-safe.
 */
final class Http {
  private static final Logger LOG = LoggerFactory.getLogger(Http.class);
  private static final Set<Integer> BUSY = Set.of(408, 425, 429);
  private static final int UNAUTHORIZED = 401;
  private static final int SHOWN_CHARACTERS = 500;

  private final HttpClient client;
  private final ControllerSettings settings;
  private final Patience patience;
  private final LongAdder retries = new LongAdder();

  /**
   * What came back.
   *
   * @param status of HTTP
   * @param body as text, as it came
   * @param retryAfter how long the server asks to wait; null if it does not
   * @param shown the body without secrets, for messages
   */
  record Answer(int status, String body, @Nullable Duration retryAfter, String shown) {
    /** One whose body holds no secret. */
    Answer(int status, String body, @Nullable Duration retryAfter) {
      this(status, body, retryAfter, body);
    }

    boolean isSuccess() {
      return status / 100 == 2;
    }

    /** Whether the same request may succeed later. */
    boolean isPassing() {
      return status >= 500 || BUSY.contains(status);
    }
  }

  Http(ControllerSettings settings, Patience patience) {
    this.settings = settings;
    this.patience = patience;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(settings.connectTimeout())
            .sslContext(settings.tls().context())
            .build();
  }

  /** How many requests were sent again. */
  long retries() {
    return retries.sum();
  }

  /**
   * Sends until it is answered by something that time does not change.
   *
   * @param happened asked after a failure whose outcome is unknown: an answer if the request did
   *     its work after all; null to send it again
   * @throws PinotUnavailableException if the budget is spent
   */
  Answer send(Call call, Supplier<@Nullable Answer> happened) {
    return send(call, happened, Answer::isPassing);
  }

  /** As {@link #send(Call, Supplier)}, with an own opinion of what is worth another attempt. */
  Answer send(Call call, Supplier<@Nullable Answer> happened, Predicate<Answer> isPassing) {
    Instant end = patience.clock().instant().plus(patience.atMost(settings.backOff().budget()));
    for (int failures = 0; ; failures++) {
      Failure failure;
      requireTime(call);
      try {
        Answer answer = once(call);
        if (!isPassing.test(answer)) {
          return answer;
        }
        failure = new Failure(describe(answer), null, answer.retryAfter());
      } catch (IOException e) {
        requireTrust(call, e);
        failure = new Failure(e.toString(), e, null);
      }
      waitOrFail(call, failure, failures, end);
      Answer done = happened.get();
      if (done != null) {
        return done;
      }
    }
  }

  /** As {@link #send(Call, Supplier)}, for a request that may simply be sent again. */
  Answer send(Call call) {
    return send(call, () -> null);
  }

  /**
   * The body of a successful answer.
   *
   * @throws PinotRefusedException for any other
   */
  String body(Call call) {
    Answer answer = send(call);
    if (!answer.isSuccess()) {
      throw refused(call, answer, "");
    }
    return answer.body();
  }

  /**
   * The body of a successful answer to a request that must not simply be sent again.
   *
   * @throws PinotUnavailableException if it failed in a way that may pass; whether it did its work
   *     is not known
   * @throws PinotRefusedException if it was refused
   */
  String bodyOnce(Call call) {
    requireTime(call);
    Answer answer;
    try {
      answer = once(call);
    } catch (IOException e) {
      requireTrust(call, e);
      throw new PinotUnavailableException("Cannot " + call.what() + ": " + e, e);
    }
    if (answer.isPassing()) {
      throw new PinotUnavailableException("Cannot " + call.what() + ": " + describe(answer));
    }
    if (!answer.isSuccess()) {
      throw refused(call, answer, "");
    }
    return answer.body();
  }

  /** What an answer that is no success means. */
  static PinotRefusedException refused(Call call, Answer answer, String advice) {
    String hint = advice.isEmpty() ? hint(answer.status()) : advice;
    return new PinotRefusedException(
        answer.status(),
        "Cannot "
            + call.what()
            + ": "
            + call.method()
            + " "
            + call.url()
            + " was refused with "
            + describe(answer)
            + " (expected: status 200"
            + (hint.isEmpty() ? "" : "; " + hint)
            + ")");
  }

  private record Failure(String reason, @Nullable Throwable cause, @Nullable Duration retryAfter) {}

  private void requireTime(Call call) {
    Duration most = settings.backOff().budget();
    if (patience.atMost(most).isZero()) {
      throw new PinotUnavailableException(
          "Cannot "
              + call.what()
              + ": no time is left (expected: done within "
              + patience.told(most)
              + ")");
    }
  }

  /** A certificate does not become another one by asking again. */
  private static void requireTrust(Call call, IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        throw new PinotUnavailableException(
            "Cannot "
                + call.what()
                + ": the certificate of "
                + URI.create(call.url()).getAuthority()
                + " is not trusted: "
                + cause.getMessage()
                + " (expected: one for this host name, by somebody whom the trust store names)",
            failure);
      }
    }
  }

  private void waitOrFail(Call call, Failure failure, int failures, Instant end) {
    Duration wait = settings.backOff().after(failures);
    Duration asked = failure.retryAfter();
    if (asked != null && asked.compareTo(wait) > 0) {
      wait = asked;
    }
    if (patience.clock().instant().plus(wait).isAfter(end)) {
      String message =
          "Cannot "
              + call.what()
              + ": "
              + call.method()
              + " "
              + call.url()
              + " failed "
              + (failures + 1)
              + " times in "
              + patience.told(settings.backOff().budget())
              + ", last with "
              + failure.reason()
              + " (expected: an answer; see whether the controller is up)";
      throw failure.cause() == null
          ? new PinotUnavailableException(message)
          : new PinotUnavailableException(message, failure.cause());
    }
    LOG.warn("Could not {} ({}): again in {} ms", call.what(), failure.reason(), wait.toMillis());
    retries.increment();
    patience.pause(wait);
  }

  /** Sends once; a second time if it is unauthorized and the token has been rotated meanwhile. */
  private Answer once(Call call) throws IOException {
    String authorization = settings.auth().header();
    Answer answer = exchange(call, authorization);
    if (answer.status() == UNAUTHORIZED) {
      String renewed = settings.auth().header();
      return Objects.equals(renewed, authorization) ? answer : exchange(call, renewed);
    }
    return answer;
  }

  private Answer exchange(Call call, @Nullable String authorization) throws IOException {
    Duration most = patience.atMost(call.timeout()).plusMillis(1);
    try (OpenedBody body = new OpenedBody(call.body())) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(call.url()))
              .timeout(most)
              .method(call.method(), body.publisher());
      call.headers().forEach(request::header);
      if (authorization != null) {
        request.header("Authorization", authorization);
      }
      HttpResponse<String> response;
      try {
        response = whole(call, request.build(), most);
      } catch (IOException e) {
        IOException reading = body.unreadable();
        if (reading != null) {
          throw new UncheckedIOException("Cannot " + call.what() + ": cannot read it", reading);
        }
        throw e;
      }
      String text = response.body();
      return new Answer(
          response.statusCode(),
          text,
          response.headers().firstValue("Retry-After").map(this::retryAfter).orElse(null),
          response.statusCode() / 100 == 2 ? "" : withoutSecret(text, authorization));
    }
  }

  /** The timeout of a request ends with the headers of its answer; this one with its body. */
  private HttpResponse<String> whole(Call call, HttpRequest request, Duration most)
      throws IOException {
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    try {
      return answer.get(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new HttpTimeoutException("no whole answer within " + most);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new PinotUnavailableException("Interrupted: cannot " + call.what(), e);
    }
  }

  /** Seconds, or a date of HTTP; null if it is neither. */
  private @Nullable Duration retryAfter(String value) {
    try {
      return value.matches("\\d{1,9}")
          ? Duration.ofSeconds(Long.parseLong(value))
          : Duration.between(
              patience.clock().instant(),
              ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  private static String withoutSecret(String body, @Nullable String authorization) {
    if (authorization == null) {
      return body;
    }
    String secret = authorization.substring(authorization.indexOf(' ') + 1).strip();
    return secret.isEmpty() ? body : body.replace(secret, "***");
  }

  private static String describe(Answer answer) {
    String body = answer.shown().strip();
    String shown =
        body.length() > SHOWN_CHARACTERS ? body.substring(0, SHOWN_CHARACTERS) + "…" : body;
    return "status " + answer.status() + (shown.isEmpty() ? "" : " " + shown);
  }

  private static String hint(int status) {
    return switch (status) {
      case UNAUTHORIZED -> "check user and password, or the token";
      case 403 -> "check the rights of this user, the table's quota and its time column";
      case 404 -> "check the URL and the table's name";
      default -> "";
    };
  }
}
