package dev.tensorstack.training.monitoring;

import java.util.Locale;

/** A picture that is written as text. */
final class Svg {

  private final StringBuilder body = new StringBuilder();

  void rectangle(double x, double y, double width, double height, String fill, String stroke) {
    add(
        "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s' stroke='%s'/>",
        x, y, Math.max(0, width), Math.max(0, height), fill, stroke);
  }

  void shade(double x, double y, double width, double height, String fill, double opacity) {
    add(
        "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s' fill-opacity='%.2f'/>",
        x, y, width, height, fill, opacity);
  }

  void line(double fromX, double fromY, double toX, double toY, String colour) {
    add(
        "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>",
        fromX, fromY, toX, toY, colour);
  }

  void path(String path, String colour) {
    add("<path d='%s' fill='none' stroke='%s' stroke-width='1.4'/>", path, colour);
  }

  void area(String path, String colour) {
    add(
        "<path d='%s' fill='#ffffff'/><path d='%s' fill='%s' fill-opacity='0.25'/>",
        path, path, colour);
  }

  void text(double x, double y, String text, int size, String colour, String anchor, boolean bold) {
    add(
        "<text x='%.1f' y='%.1f' font-size='%d' fill='%s' text-anchor='%s' font-weight='%s'>%s</text>",
        x, y, size, colour, anchor, bold ? "600" : "400", escaped(text));
  }

  /** Two coordinates in a path. */
  static String pair(double x, double y) {
    return String.format(Locale.ROOT, "%.1f %.1f", x, y);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private void add(String format, Object... values) {
    body.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** The whole file. */
  String document(int width, int height) {
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d'"
                + " font-family='Inter, Helvetica, Arial, sans-serif'>%n",
            width,
            height,
            width,
            height)
        + body
        + "</svg>\n";
  }
}
