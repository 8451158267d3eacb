package dev.tidemark.pinot.commit;

import java.util.Collection;
import java.util.stream.Collectors;

/** Quoting for Pinot's SQL. */
final class Sql {
  private Sql() {}

  static String name(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  static String text(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  /** Names are listed, since an underscore is a wildcard in LIKE. */
  static String segmentIn(Collection<String> segments) {
    return segments.stream()
        .map(Sql::text)
        .collect(Collectors.joining(", ", "$segmentName IN (", ")"));
  }
}
