package dev.tidemark.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Rows in columns as wide as their widest cell. */
final class TextTable {
  private static final String GAP = "  ";

  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();
  private final List<UnaryOperator<String>> paints = new ArrayList<>();

  TextTable(String... header) {
    this.header = List.of(header);
  }

  /** Adds a row; the painting is of its last cell. */
  void add(UnaryOperator<String> paint, String... cells) {
    rows.add(List.of(cells));
    paints.add(paint);
  }

  void add(String... cells) {
    add(cell -> cell, cells);
  }

  List<String> lines() {
    int last = header.size() - 1;
    int[] widths = new int[last];
    for (int i = 0; i < last; i++) {
      widths[i] = header.get(i).length();
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    lines.add(line(header, widths, cell -> cell));
    for (int i = 0; i < rows.size(); i++) {
      lines.add(line(rows.get(i), widths, paints.get(i)));
    }
    return lines;
  }

  private static String line(List<String> cells, int[] widths, UnaryOperator<String> paint) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(cells.get(i)).append(" ".repeat(widths[i] - cells.get(i).length())).append(GAP);
    }
    String last = cells.get(widths.length);
    return last.isEmpty()
        ? line.toString().stripTrailing()
        : line.append(paint.apply(last)).toString();
  }
}
