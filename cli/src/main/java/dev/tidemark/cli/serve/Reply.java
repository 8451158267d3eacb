package dev.tidemark.cli.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a request is answered with.
 *
 * @param status the HTTP status
 * @param type the content type
 * @param body empty for 304
 * @param headers besides the content type
 */
record Reply(int status, String type, byte[] body, Map<String, String> headers) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  Reply {
    headers = Map.copyOf(headers);
  }

  static Reply json(int status, JsonNode node) {
    return of(status, "application/json", node);
  }

  static Reply problem(int status, JsonNode node) {
    return of(status, "application/problem+json", node);
  }

  static Reply text(String type, String text) {
    return new Reply(200, type, text.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  Reply with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Reply(status, type, body, more);
  }

  /** 304 if the client has this very answer. */
  Reply tagged(EntityTag tag, EntityTag.Known known) {
    Reply reply = known.holds(tag) ? new Reply(304, type, new byte[0], headers) : this;
    return reply.with("ETag", tag.toString());
  }

  private static Reply of(int status, String type, JsonNode node) {
    try {
      return new Reply(status, type, MAPPER.writeValueAsBytes(node), Map.of());
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
