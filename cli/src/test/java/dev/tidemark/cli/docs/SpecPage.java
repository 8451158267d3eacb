package dev.tidemark.cli.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** docs/spec.md and its examples: fenced blocks, each behind a comment that names it. */
record SpecPage(String text) {
  private static final Path FILE = Path.of("..", "docs", "spec.md");
  private static final Pattern EXAMPLE =
      Pattern.compile("<!-- example: ([a-z-]+) -->\n```[a-z]*\n(.*?)```\n", Pattern.DOTALL);

  /** Rewrites the page with the examples of the code, if a system property names it. */
  static final String WRITE = "tidemark.test.spec";

  static SpecPage read() {
    try {
      return new SpecPage(Files.readString(FILE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The examples by name. */
  Map<String, String> examples() {
    Map<String, String> examples = new LinkedHashMap<>();
    for (MatchResult match : EXAMPLE.matcher(text).results().toList()) {
      examples.put(match.group(1), match.group(2));
    }
    return examples;
  }

  /** With these examples in the place of those that are there. */
  SpecPage with(Map<String, String> examples) {
    return new SpecPage(
        EXAMPLE
            .matcher(text)
            .replaceAll(
                match -> {
                  String old = match.group(2);
                  String block = match.group();
                  String made = examples.getOrDefault(match.group(1), old);
                  int start = block.length() - "```\n".length() - old.length();
                  return Matcher.quoteReplacement(block.substring(0, start) + made + "```\n");
                }));
  }

  void write() {
    try {
      Files.writeString(Path.of(System.getProperty(WRITE)), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
