package dev.tidemark.cli.command;

import java.util.ArrayList;
import java.util.List;

/** Text in lines that fit a terminal. A percent sign stays with its number. */
final class Wrapped {
  /** A terminal that does not say how wide it is. */
  static final int WIDTH = 80;

  private static final int LABEL = 9;
  private static final String COMMAND = ": tidemark ";

  private Wrapped() {}

  /** A paragraph; lines after the first are indented like the text after the prefix. */
  static String of(String prefix, String text) {
    List<String> lines = new ArrayList<>();
    wrap(lines, prefix, text, WIDTH);
    return String.join("\n", lines) + "\n";
  }

  /**
   * Lines with what they are about in a column on the left. A command at the end has a line of its
   * own, whole, to be copied.
   *
   * @param width of a line, label included; a word or a command that is longer stands out
   */
  static List<String> lines(String label, String text, int width) {
    String prefix = label + " ".repeat(Math.max(1, LABEL - label.length()));
    int command = text.indexOf(COMMAND);
    List<String> lines = new ArrayList<>();
    if (command < 0) {
      wrap(lines, prefix, text, width);
    } else {
      wrap(lines, prefix, text.substring(0, command + 1), width);
      lines.add(" ".repeat(LABEL) + text.substring(command + 2));
    }
    return lines;
  }

  private static void wrap(List<String> lines, String prefix, String text, int width) {
    StringBuilder line = new StringBuilder(prefix);
    boolean empty = true;
    for (String word : text.split(" (?!%)", -1)) {
      if (!empty && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line = new StringBuilder(" ".repeat(prefix.length()));
        empty = true;
      }
      line.append(empty ? "" : " ").append(word);
      empty = false;
    }
    lines.add(line.toString());
  }
}
