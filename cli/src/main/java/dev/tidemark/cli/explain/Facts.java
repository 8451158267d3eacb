package dev.tidemark.cli.explain;

import dev.tidemark.cli.answer.TimeText;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects the facts of one that is responsible; what is not known is left out. */
final class Facts {
  private final Map<String, Object> facts = new LinkedHashMap<>();

  Facts put(String name, @Nullable Object value) {
    if (value != null) {
      facts.put(name, value);
    }
    return this;
  }

  Facts time(String name, @Nullable Long millis) {
    return put(name, millis == null ? null : TimeText.instant(millis));
  }

  Responsible of(Responsible.Kind kind, String name, String text) {
    return new Responsible(kind, name, text, facts);
  }
}
