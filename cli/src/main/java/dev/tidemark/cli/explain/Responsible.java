package dev.tidemark.cli.explain;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One that keeps a watermark where it is.
 *
 * @param kind what it is
 * @param name a commit id, a writer, a Kafka partition, the start of a granule
 * @param text for people: one sentence
 * @param facts for programs: strings, whole numbers, booleans; times in ISO-8601 UTC
 */
public record Responsible(Kind kind, String name, String text, Map<String, Object> facts) {

  /** What can be responsible. */
  public enum Kind {
    COMMIT,
    WRITER,
    PARTITION,
    GRANULE
  }

  public Responsible {
    facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
  }
}
