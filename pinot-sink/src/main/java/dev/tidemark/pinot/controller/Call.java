package dev.tidemark.pinot.controller;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * One request.
 *
 * @param what for errors: "Cannot " + what
 * @param method of HTTP
 * @param url whole, with its query
 * @param headers without authorization
 * @param body null for none
 * @param timeout of one attempt
 */
record Call(
    String what,
    String method,
    String url,
    Map<String, String> headers,
    @Nullable RequestBody body,
    Duration timeout) {

  static Call get(String what, String url, Duration timeout) {
    return new Call(what, "GET", url, Map.of(), null, timeout);
  }

  static Call json(String what, String method, String url, String json, Duration timeout) {
    return new Call(
        what,
        method,
        url,
        Map.of("Content-Type", "application/json"),
        Multipart.bytes(json.getBytes(StandardCharsets.UTF_8)),
        timeout);
  }

  static Call empty(String what, String method, String url, Duration timeout) {
    return new Call(what, method, url, Map.of(), Multipart.bytes(new byte[0]), timeout);
  }

  /** A query string with its question mark; pairs of names and values. */
  static String query(String... pairs) {
    StringJoiner query = new StringJoiner("&", "?", "");
    for (int i = 0; i < pairs.length; i += 2) {
      query.add(encode(pairs[i]) + "=" + encode(pairs[i + 1]));
    }
    return query.toString();
  }

  /** One part of a path or query. */
  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static Map<String, String> headers(String... pairs) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      headers.put(pairs[i], pairs[i + 1]);
    }
    return headers;
  }
}
