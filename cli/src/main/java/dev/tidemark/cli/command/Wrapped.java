package dev.tidemark.cli.command;

import java.util.ArrayList;
import java.util.List;

/** Text in lines that fit a terminal, with what it is about in a column on the left. */
final class Wrapped {
  private static final int LABEL = 9;
  private static final String COMMAND = ": tidemark ";

  private Wrapped() {}

  /**
   * The lines. A command at the end has one of its own, whole, to be copied.
   *
   * @param width of a line, label included; a word or a command that is longer stands out
   */
  static List<String> lines(String label, String text, int width) {
    int command = text.indexOf(COMMAND);
    List<String> lines = new ArrayList<>();
    if (command < 0) {
      wrap(lines, label, text, width);
    } else {
      wrap(lines, label, text.substring(0, command + 1), width);
      lines.add(" ".repeat(LABEL) + text.substring(command + 2));
    }
    return lines;
  }

  private static void wrap(List<String> lines, String label, String text, int width) {
    StringBuilder line = new StringBuilder(label + " ".repeat(Math.max(1, LABEL - label.length())));
    boolean empty = true;
    for (String word : text.split(" ", -1)) {
      if (!empty && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line = new StringBuilder(" ".repeat(LABEL));
        empty = true;
      }
      line.append(empty ? "" : " ").append(word);
      empty = false;
    }
    lines.add(line.toString());
  }
}
