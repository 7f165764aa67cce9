package dev.tensorstack.training.benchmark;

import java.util.List;
import java.util.Locale;

/** Draws lines over time as SVG. */
final class LinePlot {

  private static final int WIDTH = 720;
  private static final int HEIGHT = 360;
  private static final int LEFT = 70;
  private static final int RIGHT = 130;
  private static final int TOP = 40;
  private static final int BOTTOM = 45;
  private static final int TICKS = 5;
  private static final int MOST_POINTS = 400;
  private static final String[] COLOURS = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#555555"};

  private LinePlot() {}

  /** One picture of lines that share their axes. */
  static String svg(String title, List<Measurements.Curve> curves) {
    double maxX =
        curves.stream().flatMap(c -> c.seconds().stream()).mapToDouble(x -> x).max().orElse(1);
    double maxY =
        curves.stream().flatMap(c -> c.values().stream()).mapToDouble(y -> y).max().orElse(1);
    double stepX = step(maxX);
    double stepY = step(maxY);
    double endX = Math.ceil(maxX / stepX) * stepX;
    double endY = Math.ceil(maxY / stepY) * stepY;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"
                + "<text x=\"%d\" y=\"22\" font-size=\"15\">%s</text>%n",
            WIDTH,
            HEIGHT,
            LEFT,
            escaped(title)));
    for (double x = 0; x <= endX * 1.001; x += stepX) {
      double at = x(x, endX);
      line(svg, at, TOP, at, HEIGHT - BOTTOM, "#dddddd");
      text(svg, at, HEIGHT - BOTTOM + 18, "middle", number(x));
    }
    for (double y = 0; y <= endY * 1.001; y += stepY) {
      double at = y(y, endY);
      line(svg, LEFT, at, WIDTH - RIGHT, at, "#dddddd");
      text(svg, LEFT - 8, at + 4, "end", number(y));
    }
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "middle", "seconds");
    for (int i = 0; i < curves.size(); i++) {
      Measurements.Curve curve = curves.get(i);
      String colour = COLOURS[i % COLOURS.length];
      StringBuilder points = new StringBuilder();
      int stride = Math.max(1, curve.seconds().size() / MOST_POINTS);
      for (int j = 0; j < curve.seconds().size(); j += stride) {
        points.append(
            String.format(
                Locale.ROOT,
                "%.1f,%.1f ",
                x(curve.seconds().get(j), endX),
                y(curve.values().get(j), endY)));
      }
      svg.append("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"").append(colour);
      svg.append("\" points=\"").append(points.toString().strip()).append("\"/>\n");
      double at = TOP + 16 + 20.0 * i;
      line(svg, WIDTH - RIGHT + 12, at - 4, WIDTH - RIGHT + 34, at - 4, colour);
      text(svg, WIDTH - RIGHT + 40, at, "start", curve.client());
    }
    return svg.append("</svg>\n").toString();
  }

  private static double x(double value, double end) {
    return LEFT + value / end * (WIDTH - LEFT - RIGHT);
  }

  private static double y(double value, double end) {
    return HEIGHT - BOTTOM - value / end * (HEIGHT - TOP - BOTTOM);
  }

  /** A round number, so that about five of it reach the greatest value. */
  private static double step(double max) {
    double rough = Math.max(max, 1e-9) / TICKS;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double leading = rough / power;
    return power * (leading <= 1 ? 1 : leading <= 2 ? 2 : leading <= 5 ? 5 : 10);
  }

  private static void line(
      StringBuilder svg, double x1, double y1, double x2, double y2, String colour) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n",
            x1,
            y1,
            x2,
            y2,
            colour));
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            x,
            y,
            anchor,
            escaped(text)));
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value).replaceAll("0+$", "");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
