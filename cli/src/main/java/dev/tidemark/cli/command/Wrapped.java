package dev.tidemark.cli.command;

/** Text in lines that fit a terminal. */
final class Wrapped {
  static final int WIDTH = 80;

  private Wrapped() {}

  /**
   * A paragraph; a percent sign stays with its number; lines after the first are indented like the
   * text after the first prefix.
   */
  static String of(String prefix, String text) {
    StringBuilder out = new StringBuilder();
    StringBuilder line = new StringBuilder(prefix);
    for (String word : text.split(" (?!%)", -1)) {
      boolean first = line.length() == prefix.length();
      if (!first && line.length() + 1 + word.length() > WIDTH) {
        out.append(line).append('\n');
        line = new StringBuilder(" ".repeat(prefix.length()));
        first = true;
      }
      line.append(first ? "" : " ").append(word);
    }
    return out.append(line).append('\n').toString();
  }
}
