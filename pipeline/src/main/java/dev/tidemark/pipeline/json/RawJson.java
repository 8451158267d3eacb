package dev.tidemark.pipeline.json;

import static java.util.Objects.requireNonNull;

/** A JSON object or array kept as text, in the canonical form of {@link JsonText}. */
public record RawJson(String text) {
  public RawJson {
    requireNonNull(text, "text is null");
  }

  @Override
  public String toString() {
    return text;
  }
}
