package dev.tidemark.spark.cutover;

import dev.tidemark.spark.source.Discretion;
import java.io.IOException;
import java.net.http.HttpResponse;

/**
 * A schema registry.
 *
 * @param url may hold a login
 */
record SchemaRegistry(HttpQuestions http, String url) {

  /** Whether a subject is registered, and its versions must be compatible. */
  Check check(String name, String subject) {
    try {
      int status = http.get(url + "/subjects/" + subject + "/versions/latest").statusCode();
      if (status == 404) {
        return Check.fail(name, subject + " is not registered");
      }
      if (status != 200) {
        return Check.unknown(name, "%s: %s says %d".formatted(subject, this, status));
      }
      return level(name, subject, http.get(url + "/config/" + subject + "?defaultToGlobal=true"));
    } catch (IOException | IllegalArgumentException e) {
      return Check.unknown(
          name, "cannot ask " + this + ": " + Discretion.message(String.valueOf(e.getMessage())));
    }
  }

  private Check level(String name, String subject, HttpResponse<String> answer) {
    boolean says = answer.statusCode() == 200 && answer.body().contains("compatibilityLevel");
    if (!says) {
      return Check.unknown(
          name,
          "%s: %s does not say its compatibility (status %d)"
              .formatted(subject, this, answer.statusCode()));
    }
    return Check.of(
        name,
        !answer.body().contains("\"NONE\""),
        answer.body().contains("\"NONE\"") ? subject + ": compatibility is NONE" : subject);
  }

  /** The address without a login. */
  @Override
  public String toString() {
    return Discretion.url(url);
  }
}
