package dev.tidemark.spark.cutover;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Flink's configuration as a file, flat or nested, or as the answer of its REST API. */
final class FlinkConfiguration {
  private static final Set<String> KEYS =
      Set.of("execution.checkpointing.dir", "state.checkpoints.dir");
  private static final Pattern LINE = Pattern.compile("^( *)([\\w.\"'-]+)\\s*:(?:\\s+(.*))?$");
  private static final Pattern ANSWER =
      Pattern.compile(
          "\"key\"\\s*:\\s*\"(?:execution\\.checkpointing\\.dir|state\\.checkpoints\\.dir)\"\\s*,\\s*\"value\"\\s*:\\s*\"([^\"]+)\"");

  private FlinkConfiguration() {}

  /** A key that is still open, and how far it is indented. */
  private record Open(int indent, String path) {}

  /** Where checkpoints go; null if that is not set, empty, or commented out. */
  static @Nullable String checkpointDirectory(String text) {
    if (text.stripLeading().startsWith("[")) {
      Matcher answer = ANSWER.matcher(text);
      return answer.find() && !answer.group(1).isBlank() ? answer.group(1) : null;
    }
    Deque<Open> open = new ArrayDeque<>();
    for (String line : text.lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (!matcher.matches()) {
        continue;
      }
      int indent = matcher.group(1).length();
      while (!open.isEmpty() && open.peek().indent() >= indent) {
        open.pop();
      }
      String key = unquoted(matcher.group(2));
      String path = open.isEmpty() ? key : open.peek().path() + "." + key;
      String value = value(matcher.group(3));
      if (KEYS.contains(path) && !value.isEmpty()) {
        return value;
      }
      open.push(new Open(indent, path));
    }
    return null;
  }

  private static String value(@Nullable String text) {
    return text == null ? "" : unquoted(text.replaceAll("(^|\\s)#.*$", "").strip()).strip();
  }

  private static String unquoted(String text) {
    return text.replaceAll("^([\"'])(.*)\\1$", "$2");
  }
}
