package dev.tidemark.cli.serve;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Between Jetty and {@link Api}: headers, the guard, the page, and waiting without a thread. */
final class HttpHandler extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);
  private static final Map<String, String> ALWAYS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
              + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cache-Control",
          "no-cache");

  private final Api api;
  private final Guard guard;
  private final Assets assets;
  private final Waiting waiting;

  HttpHandler(Api api, Guard guard, Assets assets, Waiting waiting) {
    this.api = api;
    this.guard = guard;
    this.assets = assets;
    this.waiting = waiting;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    try {
      guard.checkMethodAndHost(request.getMethod(), Request.getServerName(request));
      answer(request, response, callback);
    } catch (RuntimeException e) {
      send(failure(e), response, callback);
    }
    return true;
  }

  private void answer(Request request, Response response, Callback callback) {
    List<String> path = path(request);
    EntityTag.Known known =
        EntityTag.Known.parse(request.getHeaders().get(HttpHeader.IF_NONE_MATCH));
    if (path.size() == 1) {
      Reply asset = assets.find(path.get(0), known);
      if (asset != null) {
        send(asset, response, callback);
        return;
      }
      if (path.get(0).equals("healthz")) {
        send(
            api.health(guard.knows(request.getHeaders().get(HttpHeader.AUTHORIZATION))),
            response,
            callback);
        return;
      }
    }
    guard.checkToken(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    Query query = new Query(parameters(request), known);
    Waiting.Asking asking = quietly(api.resource(path, query));
    Duration wait = query.waiting();
    Reply reply = asking.ask(wait.isZero());
    if (reply == null) {
      waiting.join(asking, wait, late -> send(late, response, callback));
    } else {
      send(reply, response, callback);
    }
  }

  /** A problem is a reply like another, at any time. */
  private static Waiting.Asking quietly(Waiting.Asking asking) {
    return isLast -> {
      try {
        return asking.ask(isLast);
      } catch (RuntimeException e) {
        return failure(e);
      }
    };
  }

  private static Reply failure(RuntimeException e) {
    if (e instanceof ProblemException problem) {
      return problem.reply();
    }
    LOG.error("Failed to answer", e);
    return new ProblemException(500, "Failed", "Failed to answer: " + e)
        .expected("an answer; please report this")
        .reply();
  }

  private static List<String> path(Request request) {
    List<String> segments = new ArrayList<>();
    for (String segment : request.getHttpURI().getPath().substring(1).split("/", -1)) {
      try {
        segments.add(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8));
      } catch (IllegalArgumentException e) {
        throw ProblemException.invalid("Invalid path segment: \"" + segment + '"')
            .expected("percent-encoded UTF-8");
      }
    }
    return segments;
  }

  private static Map<String, String> parameters(Request request) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (Fields.Field field : decoded(request)) {
      if (field.hasMultipleValues()) {
        throw ProblemException.invalid(
                "Invalid " + field.getName() + ": given " + field.getValues().size() + " times")
            .expected("once");
      }
      parameters.put(field.getName(), field.getValue());
    }
    return parameters;
  }

  private static Fields decoded(Request request) {
    try {
      return Request.extractQueryParameters(request);
    } catch (RuntimeException e) {
      throw ProblemException.invalid("Invalid query: " + request.getHttpURI().getQuery())
          .expected("percent-encoded UTF-8");
    }
  }

  /** The headers that every response has, that of a refusal too. */
  static void secure(Response response) {
    ALWAYS.forEach((name, value) -> response.getHeaders().put(name, value));
  }

  /** Any thread; never blocks. */
  private static void send(Reply reply, Response response, Callback callback) {
    response.setStatus(reply.status());
    secure(response);
    reply.headers().forEach((name, value) -> response.getHeaders().put(name, value));
    if (reply.status() != 304) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.type());
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().length);
    }
    response.write(true, ByteBuffer.wrap(reply.body()), callback);
  }
}
