package dev.tidemark.finalization.watermark;

import java.util.Locale;

/** What an opinion rests on. */
public enum Evidence {
  /** Inferred from how late events have been so far. */
  ESTIMATE,
  /** The source vouched for it. */
  PROMISE;

  /** The lower-case name that stores keep. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Evidence parse(String text) {
    for (Evidence evidence : values()) {
      if (evidence.toString().equals(text)) {
        return evidence;
      }
    }
    throw new IllegalArgumentException(
        "Invalid evidence: " + text + " (expected: estimate or promise)");
  }
}
