package dev.tidemark.cli.command;

import java.util.ArrayList;
import java.util.Arrays;
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
    return lines(Integer.MAX_VALUE);
  }

  /**
   * In so many columns: the last cell goes on below itself, broken after commas; or, where its
   * parts are too long for that, below the second cell.
   */
  List<String> lines(int width) {
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
    int before = Arrays.stream(widths).map(cell -> cell + GAP.length()).sum();
    for (int i = 0; i < rows.size(); i++) {
      addLines(lines, rows.get(i), widths, width - before, paints.get(i));
    }
    return lines;
  }

  private static void addLines(
      List<String> lines, List<String> row, int[] widths, int left, UnaryOperator<String> paint) {
    List<String> cells = new ArrayList<>(row);
    String cell = cells.get(widths.length);
    List<String> parts = parts(cell, left);
    if (parts.stream().allMatch(part -> part.length() <= left)) {
      for (String part : parts) {
        cells.set(widths.length, part);
        lines.add(line(cells, widths, paint));
        cells.replaceAll(above -> "");
      }
      return;
    }
    cells.set(widths.length, "");
    lines.add(line(cells, widths, paint));
    int first = widths[0] + GAP.length();
    int all = left + Arrays.stream(widths).map(one -> one + GAP.length()).sum();
    for (String part : parts(cell, all - first)) {
      lines.add(" ".repeat(first) + paint.apply(part));
    }
  }

  private static List<String> parts(String cell, int width) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    for (String word : cell.split("(?<=,)", -1)) {
      if (!part.isEmpty() && part.length() + word.stripTrailing().length() > width) {
        parts.add(part.toString().strip());
        part.setLength(0);
      }
      part.append(word);
    }
    parts.add(part.toString().strip());
    return parts;
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
