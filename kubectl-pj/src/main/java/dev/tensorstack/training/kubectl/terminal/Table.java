package dev.tensorstack.training.kubectl.terminal;

import java.util.ArrayList;
import java.util.List;

/** A table as kubectl prints it: columns as wide as their widest cell, three spaces between. */
public final class Table {

  private static final String GAP = "   ";

  private final List<List<String>> rows = new ArrayList<>();

  /**
   * A table.
   *
   * @param header the names of the columns
   */
  public Table(String... header) {
    rows.add(List.of(header));
  }

  /**
   * Adds a row.
   *
   * @param cells as many as there are columns
   */
  public void add(String... cells) {
    rows.add(List.of(cells));
  }

  /**
   * The table in lines, with as many columns as there is room for.
   *
   * @param width the longest line
   * @param dispensable the names of columns that are left out where there is no room, the least
   *     important first
   * @return the header and the rows, without spaces at the end of a line; longer than the width
   *     when nothing more can be left out
   */
  public List<String> lines(int width, List<String> dispensable) {
    Table table = this;
    for (String column : dispensable) {
      if (table.lines().stream().allMatch(line -> line.length() <= width)) {
        break;
      }
      table = table.without(column);
    }
    return table.lines();
  }

  private Table without(String column) {
    int index = rows.get(0).indexOf(column);
    Table less = new Table();
    less.rows.clear();
    for (List<String> row : rows) {
      List<String> cells = new ArrayList<>(row);
      if (index >= 0) {
        cells.remove(index);
      }
      less.rows.add(cells);
    }
    return less;
  }

  /**
   * The table in lines.
   *
   * @return the header and the rows, without spaces at the end of a line
   */
  public List<String> lines() {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String cell = row.get(i);
        line.append(cell).append(" ".repeat(widths[i] - cell.length())).append(GAP);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }
}
