package dev.tidemark.cli.command;

import java.util.ArrayList;
import java.util.List;

/** Text in lines that fit a terminal, with what it is about in a column on the left. */
final class Wrapped {
  private static final int LABEL = 9;

  private Wrapped() {}

  /**
   * The lines.
   *
   * @param width of a line, label included; a word that is longer stands out
   */
  static List<String> lines(String label, String text, int width) {
    List<String> lines = new ArrayList<>();
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
    return lines;
  }
}
