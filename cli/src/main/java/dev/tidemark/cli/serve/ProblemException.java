package dev.tidemark.cli.serve;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Why a request is not answered: {@code application/problem+json} (RFC 9457). */
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient ObjectNode json;
  private final transient Map<String, String> headers = new LinkedHashMap<>();

  /**
   * A problem.
   *
   * @param title the kind, always the same for one status
   * @param detail what cannot be done, the value, and what to do
   */
  ProblemException(int status, String title, String detail) {
    super(detail, null, false, false);
    this.status = status;
    this.json =
        JsonNodeFactory.instance
            .objectNode()
            .put("type", "about:blank")
            .put("title", title)
            .put("status", status)
            .put("detail", detail);
  }

  static ProblemException invalid(String detail) {
    return new ProblemException(400, "Invalid request", detail);
  }

  /** With what was expected instead. */
  ProblemException expected(String expected) {
    json.put("expected", expected);
    return this;
  }

  ProblemException member(String name, ObjectNode value) {
    json.set(name, value);
    return this;
  }

  ProblemException member(String name, long value) {
    json.put(name, value);
    return this;
  }

  ProblemException header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  Reply reply() {
    Reply reply = Reply.problem(status, json);
    for (Map.Entry<String, String> header : headers.entrySet()) {
      reply = reply.with(header.getKey(), header.getValue());
    }
    return reply.with("Cache-Control", "no-store");
  }
}
